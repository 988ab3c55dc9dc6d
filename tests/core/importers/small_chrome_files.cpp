#include "tests/core/importers/small_files.h"

#include <fmt/format.h>

namespace retracescope::test {

namespace {

/// An array of events that share process 1 and thread 1, written with ' for ".
std::string events(std::string text) {
    for (char& c : text)
        c = c == '\'' ? '"' : c;
    return text;
}

SmallFile chrome(const std::string& name, const std::string& text, const std::string& timeline,
                 const std::string& message = {}) {
    return {name + ".json", events(text),
            events("{'format':'chrome trace','opens':true,'timeline':{" + timeline + "}}"), message};
}

} // namespace

std::vector<SmallFile> smallChromeFiles() {
    std::vector<SmallFile> files;
    files.push_back(
        chrome("array",
               "[{'ph':'X','name':'a','ts':1,'dur':2,'pid':1,'tid':1},{'ph':'X','name':'b','ts':5,'dur':1,'"
               "pid':1,'tid':2}]",
               "'events':2,'by_phase':{'X':2},'skipped':{},'processes':1,'lanes_with_events':2,'spans':2,"
               "'begin_end_pairs':0,'first_ns':1000,'last_ns':6000,'duration_ns':5000"));
    files.push_back(
        chrome("object",
               "{'displayTimeUnit':'ns','traceEvents':[{'ph':'X','name':'a','ts':1.5,'dur':0.25}],'otherData'"
               ":{'k':[1,{}]}}",
               "'events':1,'processes':1,'lanes_with_events':1,'spans':1,'first_ns':1500,'last_ns':1750"));
    files.push_back(chrome("byte_order_mark", "\xEF\xBB\xBF [{'ph':'X','name':'a','ts':0,'dur':1}]",
                           "'events':1,'spans':1"));
    files.push_back(chrome("no_closing_bracket", "[{'ph':'B','name':'a','ts':1},\n{'ph':'E','ts':3}",
                           "'events':2,'spans':1,'begin_end_pairs':1,'last_ns':3000",
                           "the file ends inside the array"));
    files.push_back(chrome("trailing_comma", "[{'ph':'X','name':'a','ts':1,'dur':1},]",
                           "'events':1,'spans':1", "commas"));
    files.push_back(chrome("cut_in_an_event", "[{'ph':'X','name':'a','ts':1,'dur':1},{'ph':'X','na",
                           "'events':1,'spans':1", "ends inside event 2; 1 complete"));
    files.push_back(chrome("broken_event",
                           "[{'ph':'X','name':'a','ts':1,'dur':1},{'ph':'X' 'name'},{'ph':'X','ts':9}]",
                           "'events':1,'spans':1,'last_ns':2000", "breaks at byte"));
    files.push_back(chrome("text_behind", "[{'ph':'X','name':'a','ts':1,'dur':1}] }}]]garbage", "'events':1",
                           "11 characters behind the end"));
    files.push_back(chrome("no_events", "[]",
                           "'events':0,'spans':0,'first_ns':null,'last_ns':null,'duration_ns':null",
                           "no events"));
    files.push_back(
        chrome("nested_begin_end",
               "[{'ph':'B','name':'a','ts':1},{'ph':'B','name':'b','ts':2},{'ph':'E','name':'b','ts':3},{'ph'"
               ":'E','name':'a','ts':4}]",
               "'by_phase':{'B':2,'E':2},'spans':2,'begin_end_pairs':2,'first_ns':1000,'last_ns':4000"));
    files.push_back(
        chrome("outer_end_closes_inner",
               "[{'ph':'B','name':'a','ts':1},{'ph':'B','name':'b','ts':2},{'ph':'E','name':'a','ts':4}]",
               "'spans':2,'begin_end_pairs':1", "1 span was ended by the end of an outer span"));
    files.push_back(chrome("ends_in_the_wrong_order_at_one_time",
                           "[{'ph':'B','name':'a','ts':1},{'ph':'B','name':'b','ts':2},{'ph':'E','name':'a','"
                           "ts':4},{'ph':'E','name':'b','ts':4}]",
                           "'spans':2,'begin_end_pairs':2"));
    files.push_back(chrome("next_begin_before_end_at_one_time",
                           "[{'ph':'B','name':'a','ts':1},{'ph':'B','name':'b','ts':4},{'ph':'E','name':'a','"
                           "ts':4},{'ph':'E','name':'b','ts':6}]",
                           "'spans':2,'begin_end_pairs':2"));
    files.push_back(chrome(
        "end_before_its_begin_at_one_time",
        "[{'ph':'E','name':'a','ts':4},{'ph':'B','name':'a','ts':4},{'ph':'X','name':'x','ts':9,'dur':1}]",
        "'spans':2,'begin_end_pairs':1"));
    files.push_back(chrome("never_ended", "[{'ph':'B','name':'a','ts':1},{'ph':'i','name':'m','ts':9}]",
                           "'spans':1,'begin_end_pairs':0,'last_ns':9000", "never ended"));
    files.push_back(chrome("end_without_begin",
                           "[{'ph':'E','name':'z','ts':4},{'ph':'X','name':'x','ts':9,'dur':1}]",
                           "'events':2,'spans':1,'begin_end_pairs':0", "1 end has no begin"));
    files.push_back(chrome("out_of_order", "[{'ph':'E','name':'a','ts':4},{'ph':'B','name':'a','ts':2}]",
                           "'spans':1,'begin_end_pairs':1,'first_ns':2000,'last_ns':4000"));
    files.push_back(
        chrome("instants_and_counters",
               "[{'ph':'i','name':'m','ts':1},{'ph':'I','name':'n','ts':2},{'ph':'R','name':'o','ts':3},"
               "{'ph':'C','name':'mem','ts':4,'args':{'used':5,'free':'6.5'}},{'ph':'C','name':'mem','ts':5,'"
               "args':{'used':'x'}},"
               "{'ph':'C','name':'mem','ts':6}]",
               "'by_phase':{'C':3,'I':1,'R':1,'i':1},'skipped':{'counter_value_not_a_number':1,'counter_"
               "without_values':1},"
               "'spans':0,'first_ns':1000,'last_ns':6000"));
    files.push_back(
        chrome("async_and_flow",
               "[{'ph':'b','cat':'c','id':1,'name':'a','ts':1},{'ph':'n','cat':'c','id':1,'name':'a','ts':2},"
               "{'ph':'e','cat':'c','id':1,'name':'a','ts':3},{'ph':'S','id':2,'name':'o','ts':1},{'ph':'F','"
               "id':2,'name':'o','ts':4},"
               "{'ph':'s','id':3,'name':'f','ts':1},{'ph':'t','id':3,'name':'f','ts':2},{'ph':'f','id':3,'"
               "name':'f','ts':5}]",
               "'events':8,'by_phase':{'F':1,'S':1,'b':1,'e':1,'f':1,'n':1,'s':1,'t':1},"
               "'by_kind':{'async_begin':1,'async_end':1,'async_instant':1,'flow_end':1,'flow_start':1,'flow_"
               "step':1,"
               "'old_async_finish':1,'old_async_start':1},'spans':0,'last_ns':5000"));
    files.push_back(chrome("metadata",
                           "[{'ph':'X','name':'a','ts':1,'dur':1,'pid':7,'tid':8},{'ph':'M','name':'process_"
                           "name','pid':7,'args':{'name':'old'}},"
                           "{'ph':'M','name':'process_name','pid':7,'args':{'name':'trainer'}},{'ph':'M','"
                           "name':'thread_name','pid':7,'tid':'8','args':{'name':'main'}},"
                           "{'ph':'M','name':'thread_name','pid':9,'tid':9,'args':{'name':'nobody'}}]",
                           "'events':5,'by_phase':{'M':4,'X':1},'processes':1,'lanes_with_events':1"));
    files.push_back(chrome(
        "no_events_among_elements",
        "[1,'two',null,true,[{}],{},{'name':'no phase','ts':5},{'ph':'X','name':'k','ts':1,'dur':1}]",
        "'events':8,'by_phase':{'X':1},'skipped':{'empty_object':1,'no_phase':1,'not_an_object':5},'spans':1",
        "7 of 8 elements are no events"));
    files.push_back(chrome("odd_times",
                           "[{'ph':'X','name':'text','ts':' 12.5 "
                           "','dur':'2.25'},{'ph':'X','name':'object','ts':{'a':1},'dur':1},"
                           "{'ph':'X','name':'bool','ts':true,'dur':1},{'ph':'X','name':'list','ts':20,'dur':"
                           "[1]},{'ph':'X','name':'less','ts':30,'dur':-5},"
                           "{'ph':'X','name':'none','ts':40},{'ph':'X','name':'thread','ts':50,'tdur':7},{'"
                           "ph':'X','name':'far','ts':1e300,'dur':1}]",
                           "'events':8,'skipped':{'complete_without_duration':2,'negative_duration':1,'no_"
                           "usable_timestamp':3,'unusable_duration':1},"
                           "'spans':5,'first_ns':12500,'last_ns':57000"));
    files.push_back(chrome("exact_decimals",
                           "[{'ph':'X','name':'a','ts':1700000000000000.123,'dur':0.001},{'ph':'X','name':'b'"
                           ",'ts':1700000000000001.5,'dur':41.046999999999997},"
                           "{'ph':'X','name':'c','ts':1.7000000000000005e15,'dur':1E-3}]",
                           "'spans':3,'first_ns':1700000000000000123,'last_ns':1700000000000042547"));
    files.push_back(chrome(
        "before_zero", "[{'ph':'X','name':'a','ts':-1000000,'dur':5},{'ph':'X','name':'b','ts':1,'dur':2}]",
        "'first_ns':-1000000000,'last_ns':3000,'duration_ns':1000003000"));
    files.push_back(
        chrome("ids_of_all_kinds",
               "[{'ph':'X','name':'a','ts':1,'dur':1,'pid':'7','tid':'stream "
               "3'},{'ph':'X','name':'b','ts':2,'dur':1,'pid':7,'tid':null},"
               "{'ph':'X','name':'c','ts':3,'dur':1,'pid':7},{'ph':'X','name':'d','ts':4,'dur':1,'pid':8}]",
               "'processes':2,'lanes_with_events':3,'lanes_with_spans':3"));
    files.push_back(chrome("doubled_keys",
                           "[{'ph':'X','name':'first','name':'second','ts':1,'ts':5,'dur':1}]",
                           "'first_ns':5000,'last_ns':6000"));
    files.push_back(chrome("escaped_keys_and_names",
                           R"([{'\u0070h':'X','name':'a\u00e9\ud83d\ude00\n','ts':1,'dur':1}])",
                           "'by_phase':{'X':1},'spans':1"));
    files.push_back(
        chrome("not_utf8",
               "[{'ph':'X','name':'\xff\xfe','ts':1,'dur':1},{'ph':'X','name':'\xc0\xaf','ts':3,'dur':1}]",
               "'spans':2", "4 bytes are not UTF-8"));
    files.push_back(chrome("raw_control_characters",
                           "[{'ph':'X','name':'tab\there\nand\x01','ts':1,'dur':1}]", "'spans':1"));
    files.push_back(
        chrome("lone_surrogate", R"([{'ph':'X','name':'\ud800 x \udc00','ts':1,'dur':1}])", "'spans':1"));
    files.push_back(chrome("not_a_number_values",
                           "[{'ph':'X','name':'a','ts':NaN,'dur':1},{'ph':'X','name':'b','ts':1,'dur':1,'"
                           "args':{'loss':-Infinity,'x':NaN}}]",
                           "'events':2,'skipped':{'no_usable_timestamp':1},'spans':1"));
    files.push_back({"kineto.json",
                     events("{'schemaVersion':1,'traceEvents':[{'ph':'X','cat':'cpu_op','name':'aten::add','"
                            "ts':1,'dur':1}]}"),
                     events("{'format':'kineto','opens':true,'timeline':{'events':1,'spans':1}}"),
                     {}});
    files.push_back({"kineto_by_category.json",
                     events("[{'ph':'X','cat':'Kernel','name':'k','ts':1,'dur':1},{'ph':'X','cat':'Runtime','"
                            "name':'launch','ts':1,'dur':1}]"),
                     events("{'format':'kineto','opens':true,'timeline':{'events':2}}"),
                     {}});
    files.push_back(chrome("tf_function_calls",
                           "{'traceEvents':[{'ph':'X','name':'train_function','ts':1,'dur':50,'args':{'tf_"
                           "function_call':'traced-nonXla','tracing_count':'2'}},"
                           "{'ph':'X','name':'train_function','ts':60,'dur':5,'args':{'tf_function_call':'"
                           "notTraced-nonXla','tracing_count':'2'}},"
                           "{'ph':'X','name':'EagerExecute','ts':61,'dur':1,'args':{'id':'1'}},{}]}",
                           "'events':4,'skipped':{'empty_object':1},'spans':3,'last_ns':65000"));
    files.push_back({"trace_events_is_text.json",
                     events("{'traceEvents':'none'}"),
                     {},
                     "traceEvents is a string, but an array"});
    files.push_back({"object_without_events.json",
                     events("{'projectId':1,'spans':[]}"),
                     {},
                     "JSON without traceEvents (it has projectId, spans)"});
    files.push_back(
        {"array_of_numbers.json", "[1,2,3]", {}, "a JSON array of 3 elements, none of them a trace event"});
    files.push_back(
        {"json_lines.json", events("{'Type':'a'}\n{'Type':'b'}\n"), {}, "one JSON object per line"});
    return files;
}

} // namespace retracescope::test
