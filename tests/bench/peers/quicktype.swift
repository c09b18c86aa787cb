// Lines {"type": NAME, "value": JSON} in, through the types that quicktype made; for each a line out, the JSON that comes
// back, or `!` where the value is refused. With `rate ROUNDS` there is one line out, how many values a second that is.

import Foundation

struct Line: Decodable {
    let type: String
}

func through<T: Codable>(_ type: T.Type, _ text: Data) throws -> Data {
    try JSONEncoder().encode(JSONDecoder().decode(type, from: text))
}

func back(_ type: String, _ text: Data) throws -> Data {
    type == "ClientRequest" ? try through(ClientRequest.self, text) : try through(ServerNotification.self, text)
}

var given: [(type: String, text: Data)] = []
while let line = readLine() {
    let whole = Data(line.utf8)
    guard let type = try? JSONDecoder().decode(Line.self, from: whole).type,
        let object = try? JSONSerialization.jsonObject(with: whole) as? [String: Any],
        let value = object["value"], let text = try? JSONSerialization.data(withJSONObject: value)
    else { fatalError("no line of this form") }
    given.append((type, text))
}

if CommandLine.arguments.count == 3, let rounds = Int(CommandLine.arguments[2]) {
    let clock = ContinuousClock()
    let times = try (0..<rounds).map { _ in
        let start = clock.now
        for (type, text) in given { _ = try back(type, text) }
        return (clock.now - start) / .seconds(1)
    }
    print("{\"quicktype\":\(Int(Double(given.count) / times.sorted()[rounds / 10]))}")
} else {
    for (type, text) in given {
        print((try? back(type, text)).map { String(decoding: $0, as: UTF8.self) } ?? "!")
    }
}
