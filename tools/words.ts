/** Words that comments and names of the project do not use. test/surface/words.test.ts checks the tree against them. */

/** A comment begins with a verb or with the thing itself, so that its first word carries meaning. */
const beginning =
  /^(What|Whoever|Whom|Whose|Who|Of|By which|Where|So many|So much|Those|One|It|Some|Somebody|Nobody|Everything|Nothing)\b(?!')/

/** Names that another name has replaced: one idea has one name. */
const replacedNames: readonly { name: RegExp; use: string }[] = [
  { name: /\b(interface|type) (?!Vnc|Bundle)\w*(Ports|Parts)\b/, use: 'Dependencies' },
  { name: /\bin ?turn\b/i, use: 'Mutex, or the name of the queue' },
  { name: /\bown certificate\b/i, use: 'custom, issued or served certificate' },
  { name: /farewell/i, use: 'close or shutdown' },
  { name: /enrol(?!l)/i, use: 'enroll' },
  { name: /(?<!@img\/)colour|behaviour|catalogue/i, use: 'the American spelling' },
]

/** Text of the comment that begins at a line, or undefined. */
function commentAt(lines: readonly string[], index: number): string | undefined {
  const line = lines[index] ?? ''
  const isContinued = /^\s*\/\//.test(line) && /^\s*\/\//.test(lines[index - 1] ?? '')
  if (isContinued) {
    return undefined
  }
  return /^\s*\/\*\*$/.test(line)
    ? lines[index + 1]?.replace(/^\s*\*\s*/, '')
    : /(?:^|\s)(?:\/\*\*|\/\/) (.*)/.exec(line)?.[1]
}

/** Breaches in one source file, as `12: what to change`. */
export function wordProblems(text: string): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const word = beginning.exec(commentAt(lines, index) ?? '')?.[1]
    return [
      ...(word ? [`${index + 1}: a comment begins with "${word}"`] : []),
      ...replacedNames.filter(({ name }) => name.test(line)).map(({ use }) => `${index + 1}: use ${use}`),
    ]
  })
}
