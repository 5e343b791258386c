import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Takes what a terminal would show. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** The first line of standard input; somebody at a terminal is asked for it, and it is not shown. */
export async function readSecret(question: string): Promise<string> {
  const { stdin } = process
  if (stdin.isTTY) {
    process.stderr.write(question)
  }
  const lines = createInterface({ input: stdin, output: nowhere(), terminal: stdin.isTTY })
  try {
    for await (const line of lines) {
      return line.trim()
    }
    return ''
  } finally {
    lines.close()
    if (stdin.isTTY) {
      process.stderr.write('\n')
    }
  }
}
