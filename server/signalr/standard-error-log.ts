import type { Log } from '../ground/log.ts'

function write(fields: object, message: string): void {
  const { err } = fields as { err?: Error }
  process.stderr.write(err ? `${message} ${err.stack ?? err.message}\n` : `${message}\n`)
}

/** Default log: warnings and errors on standard error. */
export const standardErrorLog: Log = {
  debug() {},
  info() {},
  warn: write,
  error: write,
  child: () => standardErrorLog,
}
