// Random programs of If, For and While over locals: what the host computes and what the trace does must
// agree, and so must a tape over the host's run and the gradients of the trace.
#include <cmath>
#include <random>
#include <vector>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/rounds.h"
#include "tests/support/test_main.h"

using namespace retracescope;

namespace {

/// A statement; operands are locals and, behind them, the arguments.
struct Statement {
    enum class Kind { Multiply, Add, Copy, If, IfElse, For, While } kind = Kind::Copy;
    std::size_t target = 0;
    std::size_t a = 0;
    std::size_t b = 0;
    double number = 0;
    std::vector<Statement> body;
    std::vector<Statement> otherwise;
};

constexpr std::size_t kLocals = 3;
constexpr std::size_t kArguments = 2;

class Programs {
public:
    explicit Programs(unsigned seed) : m_random(seed) {}

    std::vector<Statement> block(int depth) {
        std::vector<Statement> statements(1 + below(3));
        for (Statement& one : statements) {
            one.kind = static_cast<Statement::Kind>(below(depth > 0 ? 7 : 3));
            one.target = below(kLocals);
            one.a = below(kLocals + kArguments);
            one.b = below(kLocals + kArguments);
            one.number = 0.1 * static_cast<double>(below(21)) - 1.0;
            if (one.kind >= Statement::Kind::If)
                one.body = block(depth - 1);
            if (one.kind == Statement::Kind::IfElse)
                one.otherwise = block(depth - 1);
        }
        return statements;
    }
    double number() { return 0.1 * static_cast<double>(below(41)) - 2.0; }

private:
    std::size_t below(std::size_t end) { return m_random() % end; }

    std::mt19937 m_random;
};

class Machine {
public:
    explicit Machine(const std::vector<Tensor>& arguments)
        : m_arguments(arguments), m_locals{arguments[0], arguments[1], arguments[0]} {}

    void run(const std::vector<Statement>& statements) {
        for (const Statement& one : statements)
            run(one);
    }
    Tensor sum() const { return m_locals[0].read() + m_locals[1].read() * 2.0 + m_locals[2].read() * 3.0; }

private:
    Tensor operand(std::size_t at) const {
        return at < kLocals ? m_locals[at].read() : m_arguments[at - kLocals];
    }
    void run(const Statement& one) {
        const auto body = [&] { run(one.body); };
        switch (one.kind) {
        case Statement::Kind::Multiply:
            m_locals[one.target] = operand(one.a) * operand(one.b) * 0.5 + one.number;
            break;
        case Statement::Kind::Add:
            m_locals[one.target] = sin(operand(one.a) + operand(one.b));
            break;
        case Statement::Kind::Copy:
            m_locals[one.target] = operand(one.a);
            break;
        case Statement::Kind::If:
            If(operand(one.a) > one.number, body);
            break;
        case Statement::Kind::IfElse:
            If(operand(one.a) > one.number, body, [&] { run(one.otherwise); });
            break;
        case Statement::Kind::For:
            For(2, [&](Tensor) { body(); });
            break;
        case Statement::Kind::While: {
            Local trips = 0;
            While([&] { return logicalAnd(trips < 2, operand(one.a) < one.number); },
                  [&] {
                      trips += 1;
                      body();
                  });
            break;
        }
        }
    }

    const std::vector<Tensor> m_arguments;
    std::array<Local<Tensor>, kLocals> m_locals;
};

Tensor resultOf(const std::vector<Statement>& program, const std::vector<Tensor>& arguments) {
    Machine machine(arguments);
    machine.run(program);
    return machine.sum();
}

bool agree(const Tensor& a, const Tensor& b) {
    const double x = a.scalar<double>();
    const double y = b.scalar<double>();
    return (std::isnan(x) && std::isnan(y)) ||
           std::abs(x - y) <= 1e-9 * std::max({1.0, std::abs(x), std::abs(y)});
}

} // namespace

class LocalProgramsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theTraceDoesWhatTheHostDoes() {
        for (unsigned seed = 0; seed < static_cast<unsigned>(test::rounds(400)); ++seed) {
            Programs random(seed);
            const auto program = random.block(2);
            Function f("program", {"x", "y"}, [&](Tensor x, Tensor y) { return resultOf(program, {x, y}); });
            Function slopes("slopes", {"x", "y"}, [&](Tensor x, Tensor y) {
                const auto found = gradients(resultOf(program, {x, y}), {x, y}, Unconnected::Zeros);
                return std::tuple(found[0], found[1]);
            });
            for (int run = 0; run < 2; ++run) {
                const Tensor x = constant(random.number());
                const Tensor y = constant(random.number());
                GradientTape tape;
                tape.watch(std::tuple(x, y));
                const Tensor expected = resultOf(program, {x, y});
                const auto [toX, toY] =
                    tape.gradient(expected, std::tuple(x, y), {.unconnected = Unconnected::Zeros});
                const auto [slopeX, slopeY] = slopes(x, y);
                const bool agrees = agree(f(x, y), expected) && agree(slopeX, toX) && agree(slopeY, toY);
                QVERIFY2(agrees, qPrintable(QString("program %1").arg(seed)));
            }
        }
    }
};

RETRACESCOPE_TEST(LocalProgramsTest);

#include "local_programs_test.moc"
