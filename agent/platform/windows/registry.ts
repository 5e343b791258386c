import { UserError } from '../../base/errors.ts'
import { nativeFunctions } from '../../base/native-functions.ts'
import { reasonOf, success } from './library.ts'

interface RegistryFunctions {
  write: (root: number, key: string, name: string, type: number, value: Buffer, size: number) => number
  remove: (root: number, key: string) => number
}

const functions = nativeFunctions((koffi): RegistryFunctions => {
  const advapi32 = koffi.load('advapi32.dll')
  return {
    write: advapi32.func(
      'int __stdcall RegSetKeyValueW(intptr root, str16 key, str16 name, uint32 type, void *value, uint32 size)',
    ),
    remove: advapi32.func('int __stdcall RegDeleteTreeW(intptr root, str16 key)'),
  }
})

const localMachine = -0x7fff_fffe
const notThere = 2
const types = { text: 1, expandable: 2, number: 4 }

/** Text in which Windows expands variables such as `%SystemRoot%`. */
export const expandable = (text: string) => ({ expandable: text })
type RegistryValue = string | number | ReturnType<typeof expandable>

const textBytes = (text: string) => Buffer.from(`${text}\0`, 'utf16le')

function encode(value: RegistryValue): { type: number; bytes: Buffer } {
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    return { type: types.number, bytes }
  }
  return typeof value === 'string'
    ? { type: types.text, bytes: textBytes(value) }
    : { type: types.expandable, bytes: textBytes(value.expandable) }
}

/** Writes values of a machine key, and creates the key if missing. Rejects with a UserError. */
export async function writeMachineKey(key: string, values: Readonly<Record<string, RegistryValue>>): Promise<void> {
  const { write } = await functions()
  for (const [name, value] of Object.entries(values)) {
    const { type, bytes } = encode(value)
    const code = write(localMachine, key, name, type, bytes, bytes.length)
    if (code !== success) {
      throw new UserError(`Windows did not write ${name} of the registry key ${key}: ${reasonOf(code)}.`)
    }
  }
}

/** Removes a machine key with its subkeys; ignores a missing key. Rejects with a UserError. */
export async function removeMachineKey(key: string): Promise<void> {
  const { remove } = await functions()
  const code = remove(localMachine, key)
  if (code !== success && code !== notThere) {
    throw new UserError(`Windows did not remove the registry key ${key}: ${reasonOf(code)}.`)
  }
}
