import { environment } from '../../base/environment.ts'
import { UserError } from '../../base/errors.ts'
import { runOrExplain } from '../../base/run-tool.ts'
import { removeMachineKey, writeMachineKey } from './registry.ts'
import { winuser } from './win32/winuser.ts'

/** Name of our start entry in the boot configuration of Windows, by which it is found again. */
const entryName = 'Farhand: safe mode, once'
const entryId = /\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}/i

/** Index of `GetSystemMetrics` for how Windows was started: 0 for a normal start. */
const cleanBoot = 67

/** Key that lets a service start in safe mode with network. */
const serviceKey = (service: string) => `SYSTEM\\CurrentControlSet\\Control\\SafeBoot\\Network\\${service}`

interface Tools {
  bcdedit: (...args: string[]) => Promise<string>
  shutDown: (...args: string[]) => Promise<unknown>
  allowService: (service: string) => Promise<void>
}

const system = (program: string) => `${environment.windows}\\System32\\${program}`
const tools: Tools = {
  bcdedit: (...args) => runOrExplain(system('bcdedit.exe'), ...args),
  shutDown: (...args) => runOrExplain(system('shutdown.exe'), ...args),
  allowService: (service) => writeMachineKey(serviceKey(service), { '': 'Service' }),
}

/** Our entries in the output of `bcdedit /enum osloader /v`, whose labels are translated. */
const ownEntries = (listed: string): string[] =>
  listed
    .split(/(?:\r?\n){2,}/)
    .filter((entry) => entry.includes(entryName))
    .flatMap((entry) => entryId.exec(entry)?.[0] ?? [])

async function removeEntries({ bcdedit }: Tools) {
  for (const id of ownEntries(await bcdedit('/enum', 'osloader', '/v'))) {
    await bcdedit('/delete', id)
  }
}

/**
 * Restarts once into safe mode with network. Only a copy of the start entry asks for safe mode, and only for the next
 * start: the start after that is normal, even if the agent never runs again. Rejects with a UserError.
 */
export async function restartInSafeMode(service: string, used: Tools = tools) {
  await used.allowService(service)
  await removeEntries(used)
  try {
    await restartOnceBy(used)
  } catch (error) {
    // Otherwise the next restart, for whatever reason, would end in safe mode.
    await removeEntries(used)
    throw error
  }
}

async function restartOnceBy({ bcdedit, shutDown }: Tools) {
  const [id] = entryId.exec(await bcdedit('/copy', '{current}', '/d', entryName)) ?? []
  if (id === undefined) {
    throw new UserError('Windows did not copy its start entry.')
  }
  await bcdedit('/set', id, 'safeboot', 'network')
  // A second entry in the menu would have Windows wait there at each start.
  await bcdedit('/displayorder', id, '/remove')
  await bcdedit('/bootsequence', id)
  await shutDown('/r', '/t', '0', '/f')
}

/** Removes our start entry after the start that used it. */
export async function removeSafeModeEntry(used = tools, isSafeMode = isInSafeMode): Promise<void> {
  // In safe mode it is the entry that Windows runs from.
  if (!(await isSafeMode())) {
    await removeEntries(used)
  }
}

const isInSafeMode = async () => (await winuser()).getSystemMetrics(cleanBoot) !== 0

export const forbidSafeMode = (service: string): Promise<void> => removeMachineKey(serviceKey(service))
