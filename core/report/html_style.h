#pragma once

#include <string_view>

namespace retracescope::report {

/// Style sheet of the HTML report in the colours of the desktop program.
inline constexpr std::string_view kHtmlStyle = R"css(
:root { color-scheme: light dark;
  --window:#F1F3F5; --view:#FFFFFF; --raised:#FAFBFC; --header:#E7EAEE; --alt:#F6F7F9; --line:#D3D8DF; --text:#1A1E24;
  --muted:#525A66; --accent:#0B5CAD; --hit:#0B7A4B; --hit-text:#006B4D; --hit-tint:#DDF3EB; --miss:#B84300; --miss-text:#A63F00;
  --miss-tint:#FCE8DA; --needed:#8B9199; --execute:#1C4F9C; --error-text:#A0001C; --error-tint:#FBE0E3; --warn-text:#6F5A00;
  --warn-tint:#F7F0D2; --add:#DDF3EB; --remove:#FBE0E3; }
@media (prefers-color-scheme: dark) { :root {
  --window:#1B1E23; --view:#14171B; --raised:#22262C; --header:#292E36; --alt:#181B20; --line:#363C45; --text:#E6E9ED;
  --muted:#A3ACB8; --accent:#6CB2F5; --hit:#2BC07C; --hit-text:#5FD3AE; --hit-tint:#12332A; --miss:#F0812A; --miss-text:#FF9D5C;
  --miss-tint:#3D2413; --needed:#767D87; --execute:#4384F2; --error-text:#FF8C9B; --error-tint:#43161E; --warn-text:#E6CB57;
  --warn-tint:#38310F; --add:#12332A; --remove:#43161E; } }
* { box-sizing: border-box; }
body { margin:0; background:var(--window); color:var(--text); font:14px/1.5 "DejaVu Sans", system-ui, sans-serif; }
main { max-width:1120px; margin:0 auto; padding:32px 24px 64px; }
.name { color:var(--muted); font-size:13px; letter-spacing:.02em; }
h1 { font-size:26px; line-height:1.25; margin:4px 0; font-weight:700; }
h1.good { color:var(--hit-text); }
.sub { font-size:16px; color:var(--muted); margin:0 0 24px; }
h2 { font-size:16px; margin:40px 0 12px; }
.warn { background:var(--warn-tint); color:var(--warn-text); padding:8px 12px; border-radius:4px; margin:8px 0; }
.bar { display:flex; height:28px; border-radius:4px; overflow:hidden; border:1px solid var(--line); background:var(--view); }
.bar span { display:block; min-width:0; }
.avoidable { background:var(--miss); } .needed { background:var(--needed); } .execute { background:var(--execute); } .failed { background:var(--error-text); }
.legend { display:flex; flex-wrap:wrap; gap:4px 28px; margin:12px 0 0; padding:0; list-style:none; }
.legend i { display:inline-block; width:10px; height:10px; border-radius:2px; margin-right:8px; border:1px solid var(--line); }
.legend b { font-variant-numeric:tabular-nums; margin-left:6px; } .legend small { color:var(--muted); font-size:13px; margin-left:6px; }
.card { background:var(--view); border:1px solid var(--line); border-radius:6px; padding:16px 20px; margin:0 0 12px; display:grid;
  grid-template-columns:32px 1fr auto; gap:4px 12px; }
.rank { width:26px; height:26px; border-radius:50%; background:var(--miss-tint); color:var(--miss-text); text-align:center; line-height:26px;
  font-weight:700; font-size:13px; }
.card h3 { margin:0; font-size:16px; } .card .cost { text-align:right; font-size:20px; font-weight:700; color:var(--miss-text);
  font-variant-numeric:tabular-nums; line-height:1.2; } .card .cost small { display:block; font-size:12px; font-weight:400; color:var(--muted); }
.card .body { grid-column:2 / 4; } .card p { margin:4px 0; } .muted { color:var(--muted); }
.chip { display:inline-block; font-size:12px; padding:1px 8px; border-radius:9px; background:var(--header); color:var(--muted); margin-right:6px; }
.strip { display:block; width:100%; height:30px; margin:8px 0 2px; }
.strip .h { fill:var(--hit); opacity:.45; } .strip .m { fill:var(--miss); } .strip .o { fill:var(--needed); opacity:.7; }
pre { background:var(--raised); border:1px solid var(--line); border-radius:4px; margin:8px 0 0; padding:8px 0; overflow-x:auto;
  font:13px/1.5 "DejaVu Sans Mono", ui-monospace, monospace; }
pre span { display:block; padding:0 12px; white-space:pre; } pre .add { background:var(--add); } pre .remove { background:var(--remove); }
.scroll { overflow-x:auto; background:var(--view); border:1px solid var(--line); border-radius:6px; }
table { border-collapse:collapse; width:100%; font-size:13px; } th { text-align:left; background:var(--header); font-weight:600; white-space:nowrap; }
th, td { padding:5px 12px; border-bottom:1px solid var(--line); vertical-align:top; } tbody tr:last-child td { border-bottom:0; }
tbody tr:nth-child(even) { background:var(--alt); } .num { text-align:right; font-variant-numeric:tabular-nums; white-space:nowrap; }
footer { margin-top:48px; color:var(--muted); font-size:12px; }
@media print { body { background:#fff; } .card, .scroll { break-inside:avoid; } }
)css";

} // namespace retracescope::report
