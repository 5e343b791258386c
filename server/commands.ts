import type { CommandName } from './settings/arguments.ts'
import * as account from './identity/account.command.ts'
import * as audit from './audit/audit.command.ts'
import * as backup from './backup/backup.command.ts'
import * as moveDatabase from './backup/move-database.command.ts'
import * as doctor from './health/doctor.command.ts'
import * as service from './surface/service.command.ts'
import type { Command, Terminal } from './surface/command.ts'
import * as update from './updates/update.command.ts'

interface Entry {
  usage: string
  run: Command
}

const ofBackup = (name: CommandName): Entry => ({
  usage: backup.usage,
  run: (args, terminal) => backup.runBackupCommand([name, ...args], terminal),
})

/** Commands on the computer of the server; most work beside a running server. */
const commands: Readonly<Record<CommandName, Entry>> = {
  account: { usage: account.usage, run: account.accountCommand },
  audit: { usage: audit.usage, run: audit.auditCommand },
  backup: ofBackup('backup'),
  doctor: { usage: doctor.usage, run: doctor.doctorCommand },
  'move-database': { usage: moveDatabase.usage, run: moveDatabase.moveDatabaseCommand },
  'recovery-key': ofBackup('recovery-key'),
  restore: ofBackup('restore'),
  secrets: ofBackup('secrets'),
  service: { usage: service.usage(), run: service.serviceCommand },
  update: { usage: update.usage, run: update.updateCommand },
}

/** Runs a command; returns the exit status. Every command explains itself with `--help`, wherever that stands. */
export async function runCommand(
  [name, ...args]: readonly [CommandName, ...string[]],
  terminal: Terminal,
): Promise<number> {
  const { usage, run } = commands[name]
  if (args.includes('--help') || args.includes('-h')) {
    terminal.say(usage)
    return 0
  }
  return await run(args, terminal)
}
