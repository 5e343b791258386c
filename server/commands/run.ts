import type { CommandName } from '../config/arguments.ts'
import { accountCommand } from './account.ts'
import { auditCommand } from './audit.ts'
import { runBackupCommand } from './backup.ts'
import { doctorCommand } from './doctor.ts'
import { serviceCommand } from './service.ts'
import type { Command, Terminal } from './terminal.ts'
import { updateCommand } from './update.ts'

const backup =
  (name: CommandName): Command =>
  (args, terminal) =>
    runBackupCommand([name, ...args], terminal)

/** Commands on the computer of the server; most work beside a running server. */
const commands: Readonly<Record<CommandName, Command>> = {
  account: accountCommand,
  audit: auditCommand,
  backup: backup('backup'),
  doctor: doctorCommand,
  'recovery-key': backup('recovery-key'),
  restore: backup('restore'),
  secrets: backup('secrets'),
  service: serviceCommand,
  update: updateCommand,
}

export const runCommand = ([name, ...args]: readonly [CommandName, ...string[]], terminal: Terminal) =>
  commands[name](args, terminal)
