import type { Log } from '../../server/ground/log.ts'

interface Line {
  level: 'debug' | 'info' | 'warn' | 'error'
  fields: object
  message: string
}

/** Collects the server's log lines; an unclaimed error fails the test. */
export interface TestLog extends Log {
  readonly lines: Line[]
  /** Removes errors with a matching message; fails without a match. */
  claimErrors(message: RegExp): Line[]
  assertQuiet(): void
}

export function createTestLog(): TestLog {
  const lines: Line[] = []
  const at = (level: Line['level']) => (fields: object, message: string) => void lines.push({ level, fields, message })
  const log: TestLog = {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => log,
    claimErrors(message) {
      const claimed = lines.filter((line) => line.level === 'error' && message.test(line.message))
      if (claimed.length === 0) {
        throw new Error(`No error in the log fits ${message}.`)
      }
      for (const line of claimed) {
        lines.splice(lines.indexOf(line), 1)
      }
      return claimed
    },
    assertQuiet() {
      const errors = lines.filter((line) => line.level === 'error')
      if (errors.length > 0) {
        throw new Error(`The server logged errors: ${JSON.stringify(errors, errorsAsText, 2)}`)
      }
    },
  }
  return log
}

const errorsAsText = (_key: string, value: unknown) => (value instanceof Error ? value.stack : value)
