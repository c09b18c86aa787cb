// Lines {"type": NAME, "value": JSON} in; for each a line {"value": JSON} with the value as its type writes it, or
// {"pointer": …, "rule": …} where it is refused: by the validator, or where that has nothing to say, by the type.
// With `rate ROUNDS` there is one line out: how many values a second come and go as text, by us and by Foundation.

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
        } catch {
            told = ["pointer": "", "rule": .string("\(error)")]
        }
        print(String(decoding: told.jsonBytes, as: UTF8.self))
    }
}

/// Values a second, each read from its text and written again; Foundation's coders go through the same types.
func rates(_ rounds: Int) throws {
    var texts: [(type: any JSONRepresentable.Type, text: Data)] = []
    while let line = readLine() {
        guard case let .object(given) = try JSONValue(parsing: line), case let .string(name)? = given["type"],
            let value = given["value"], let read = try Definitions.read(name, value)
        else { continue }
        texts.append((type(of: read), Data(value.jsonBytes)))
    }
    let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
    let ours = try rate(rounds, texts.count) {
        for (type, text) in texts { _ = try type.init(parsing: text).jsonBytes }
    }
    let others = try rate(max(1, rounds / 10), texts.count) {
        for (type, text) in texts { _ = try encoder.encode(decoder.decode(type, from: text)) }
    }
    print("{\"values\":\(texts.count),\"ours\":\(ours),\"foundation\":\(others)}")
}

func rate(_ rounds: Int, _ count: Int, _ once: () throws -> Void) rethrows -> Int {
    let clock = ContinuousClock()
    let start = clock.now
    for _ in 0..<rounds { try once() }
    let seconds = (clock.now - start) / .seconds(1)
    return Int(Double(rounds * count) / seconds)
}

let words = CommandLine.arguments
if words.count == 3, words[1] == "rate", let rounds = Int(words[2]) {
    try rates(rounds)
} else {
    roundtrip()
}
