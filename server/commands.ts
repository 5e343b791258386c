import { accountCommand } from './account-command.ts'
import { runBackupCommand } from './backup-command.ts'
import type { Config } from './config.ts'
import type { CommandName } from './config/arguments.ts'
import { ConfigError } from './config/problem.ts'
import { doctorCommand } from './doctor-command.ts'
import { createLog } from './log.ts'
import { serviceCommand } from './service-command.ts'
import { updateCommand } from './update-command.ts'
import { verifyAuditLog } from './verify-audit-log.ts'

export interface CommandTerminal {
  /** Prints a line on standard output. */
  say(line: string): void
  loadConfig(): Config
}

/** Runs a command with its arguments; returns the exit status. */
type Command = (args: readonly string[], terminal: CommandTerminal) => Promise<number>

/** The log of a command: what a person must see goes to standard error. */
const deps = () => ({ log: createLog({ default: 'Warning' }, process.stderr) })

const backup =
  (name: CommandName): Command =>
  (args, terminal) =>
    runBackupCommand([name, ...args], { ...terminal, deps: deps() })

const auditCommand: Command = async ([word, ...more], { say, loadConfig }) => {
  if (word !== 'verify' || more.length > 0) {
    throw new ConfigError([{ key: 'audit', source: 'command line', message: 'needs the one word verify' }])
  }
  return (await verifyAuditLog(loadConfig().dataDirectory, say)) ? 0 : 1
}

/** Commands on the computer of the server; most work beside a running server. */
const commands: Readonly<Record<CommandName, Command>> = {
  account: (args, terminal) => accountCommand(args, { ...terminal, deps: deps() }),
  audit: auditCommand,
  backup: backup('backup'),
  doctor: (_args, terminal) => doctorCommand({ ...terminal, log: createLog({ default: 'None' }, process.stderr) }),
  'recovery-key': backup('recovery-key'),
  restore: backup('restore'),
  secrets: backup('secrets'),
  service: serviceCommand,
  update: updateCommand,
}

export const runCommand = ([name, ...args]: readonly [CommandName, ...string[]], terminal: CommandTerminal) =>
  commands[name](args, terminal)
