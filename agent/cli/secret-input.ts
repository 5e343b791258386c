import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Discards the terminal's echo. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Reads the first line of standard input; prompts at a terminal, without echo. */
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
