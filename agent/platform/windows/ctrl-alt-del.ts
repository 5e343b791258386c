import { reasonOf, success } from './library.ts'
import { ownSid, systemSid } from './users.ts'
import { sas } from './win32/sas.ts'
import { localMachine, numberOnly, valueType, winreg } from './win32/winreg.ts'

const key = 'SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Policies\\System'
const name = 'SoftwareSASGeneration'
/** Policy values that permit services to send Ctrl+Alt+Del. */
const letsServices = [1, 3]

const notService = 'Windows lets only its services press Ctrl+Alt+Del, and this agent does not run as one.'
const forbidden =
  'A policy of this device keeps services from pressing Ctrl+Alt+Del. Set "Disable or enable software Secure Attention ' +
  'Sequence" (Windows Components, Windows Logon Options) to "Services".'

/**
 * Sends Ctrl+Alt+Del as a service. A policy that forbids the keys is respected; a missing policy, which Windows treats
 * as forbidden too, is set temporarily. Resolves with the reason if not possible.
 */
export async function pressCtrlAltDel(): Promise<string | undefined> {
  if ((await ownSid()) !== systemSid) {
    return notService
  }
  const [{ regGetValue, regSetKeyValue, regDeleteKeyValue }, { sendSas }] = await Promise.all([winreg(), sas()])
  const value = Buffer.alloc(4)
  const isSet = regGetValue(localMachine, key, name, numberOnly, null, value, [value.length]) === success
  if (isSet && !letsServices.includes(value.readUInt32LE())) {
    return forbidden
  }
  if (isSet) {
    sendSas(false)
    return undefined
  }
  value.writeUInt32LE(1)
  const code = regSetKeyValue(localMachine, key, name, valueType.number, value, value.length)
  if (code !== success) {
    return `Windows did not let the agent allow Ctrl+Alt+Del for the moment: ${reasonOf(code)}.`
  }
  try {
    sendSas(false)
  } finally {
    regDeleteKeyValue(localMachine, key, name)
  }
  return undefined
}
