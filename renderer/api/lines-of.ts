/** Maximum length of one line: a device may send any text. */
const longestLine = 4 * 1024 * 1024

/** Yields the lines of a response as they arrive. */
export async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncIterable<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + read.value).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestLine) {
      throw new TypeError('The answer has a line without an end.')
    }
    yield* lines
  }
}
