import { nativeFunctions } from '../../base/native-functions.ts'
import { reasonOf, success, type Out } from './library.ts'
import { ownSid, systemSid } from './users.ts'

interface RegistryFunctions {
  read: (root: number, key: string, name: string, kind: number, type: null, value: Buffer, size: Out<number>) => number
  write: (root: number, key: string, name: string, type: number, value: Buffer, size: number) => number
  remove: (root: number, key: string, name: string) => number
  /** Returns no result. */
  press: (isUser: boolean) => void
}

const functions = nativeFunctions((koffi): RegistryFunctions => {
  const advapi32 = koffi.load('advapi32.dll')
  return {
    read: advapi32.func(
      'int __stdcall RegGetValueW(intptr root, str16 key, str16 name, uint32 kind, void *type, void *value, _Inout_ uint32 *size)',
    ),
    write: advapi32.func(
      'int __stdcall RegSetKeyValueW(intptr root, str16 key, str16 name, uint32 type, void *value, uint32 size)',
    ),
    remove: advapi32.func('int __stdcall RegDeleteKeyValueW(intptr root, str16 key, str16 name)'),
    press: koffi.load('sas.dll').func('void __stdcall SendSAS(bool isUser)'),
  }
})

const localMachine = -0x7fff_fffe
const key = 'SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Policies\\System'
const name = 'SoftwareSASGeneration'
const numberOnly = 0x10
const numberType = 4
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
  const { read, write, remove, press } = await functions()
  const value = Buffer.alloc(4)
  const isSet = read(localMachine, key, name, numberOnly, null, value, [value.length]) === success
  if (isSet && !letsServices.includes(value.readUInt32LE())) {
    return forbidden
  }
  if (isSet) {
    press(false)
    return undefined
  }
  value.writeUInt32LE(1)
  const code = write(localMachine, key, name, numberType, value, value.length)
  if (code !== success) {
    return `Windows did not let the agent allow Ctrl+Alt+Del for the moment: ${reasonOf(code)}.`
  }
  try {
    press(false)
  } finally {
    remove(localMachine, key, name)
  }
  return undefined
}
