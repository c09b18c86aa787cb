// Lines {"type": NAME, "value": JSON} in; for each a line {"value": JSON} with the value as its type writes it, or
// {"pointer": …, "rule": …} where it is refused: by the validator, or where that has nothing to say, by the type.

import Turnwire

func answer(_ line: String) throws -> JSONObject {
    guard case let .object(given) = try JSONValue(parsing: line), case let .string(name)? = given["type"],
        let value = given["value"]
    else { throw JSONFault(rule: "no line of this form") }
    if let fault = Validators.validator(of: name)?(value) { throw fault }
    guard let read = try Definitions.read(name, value) else { throw JSONFault(rule: "no definition of this name") }
    return ["value": try read.asJSON()]
}

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
