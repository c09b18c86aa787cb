// Lines {"type": NAME, "value": JSON} in; for each a line {"value": JSON} with the value as its type writes it, or
// {"pointer": …, "rule": …} where it is refused: by the validator, or where that has nothing to say, by the type.
// What is no JSON has the rule "syntax".
// With `rate ROUNDS` there is one line out: how many values a second come and go as text, by us and by others.

import Foundation
import Turnwire

func answer(_ line: String) throws -> JSONObject {
    guard case let .object(given) = try JSONValue(parsing: line), case let .string(name)? = given["type"],
        let value = given["value"]
    else { throw JSONFault(rule: "no line of this form") }
    if let fault = Validators.validator(of: name)?(value) { throw fault }
    guard let read = try Definitions.read(name, value) else { throw JSONFault(rule: "no definition of this name") }
    return ["value": try read.asJSON()]
}

func roundtrip() {
    while let line = readLine() {
        let told: JSONObject
        do {
            told = try answer(line)
        } catch let fault as JSONFault {
            told = ["pointer": .string(fault.pointer), "rule": .string(fault.rule)]
        } catch is JSONSyntaxFault {
            told = ["pointer": "", "rule": "syntax"]
        } catch {
            told = ["pointer": "", "rule": .string("\(error)")]
        }
        print(String(decoding: told.jsonBytes, as: UTF8.self))
    }
}

/// Values a second, each read from its text and written again: through our types, through the same types by Foundation's
/// coders, and by its JSONSerialization, which knows no types.
func rates(_ rounds: Int) throws {
    var texts: [(type: any JSONRepresentable.Type, text: Data)] = []
    while let line = readLine() {
        guard case let .object(given) = try JSONValue(parsing: line), case let .string(name)? = given["type"],
            let value = given["value"], let read = try Definitions.read(name, value)
        else { continue }
        texts.append((type(of: read), Data(value.jsonBytes)))
    }
    let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
    let ways: [String: () throws -> Void] = [
        "ours": { for (type, text) in texts { _ = try type.init(parsing: text).jsonBytes } },
        "foundation": { for (type, text) in texts { _ = try encoder.encode(decoder.decode(type, from: text)) } },
        "untyped": {
            for (_, text) in texts {
                let value = try JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)
                _ = try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
            }
        },
    ]
    let told = try ways.turns(rounds).map { "\"\($0.key)\":\(Int(Double(texts.count) / $0.value))" }
    print("{\(told.joined(separator: ","))}")
}

extension [String: () throws -> Void] {
    /// The seconds that each takes. They take turns, so that what else the machine does meets all of them; of the rounds
    /// the fastest tenth was left alone.
    func turns(_ rounds: Int) throws -> [String: Double] {
        let clock = ContinuousClock()
        var spent = mapValues { _ in [Double]() }
        for _ in 0..<rounds {
            for (name, way) in self {
                let start = clock.now
                try way()
                spent[name]?.append((clock.now - start) / .seconds(1))
            }
        }
        return spent.mapValues { $0.sorted()[rounds / 10] }
    }
}

let words = CommandLine.arguments
if words.count == 3, words[1] == "rate", let rounds = Int(words[2]) {
    try rates(rounds)
} else {
    roundtrip()
}
