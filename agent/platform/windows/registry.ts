import { UserError } from '../../base/errors.ts'
import { reasonOf, success } from './library.ts'
import { localMachine, valueType, winreg } from './win32/winreg.ts'

const notThere = 2

/** Text in which Windows expands variables such as `%SystemRoot%`. */
export const expandable = (text: string) => ({ expandable: text })
type RegistryValue = string | number | ReturnType<typeof expandable>

const textBytes = (text: string) => Buffer.from(`${text}\0`, 'utf16le')

function encode(value: RegistryValue): { type: number; bytes: Buffer } {
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    return { type: valueType.number, bytes }
  }
  return typeof value === 'string'
    ? { type: valueType.text, bytes: textBytes(value) }
    : { type: valueType.expandable, bytes: textBytes(value.expandable) }
}

/** Writes values of a machine key, and creates the key if missing. Rejects with a UserError. */
export async function writeMachineKey(key: string, values: Readonly<Record<string, RegistryValue>>): Promise<void> {
  const { regSetKeyValue } = await winreg()
  for (const [name, value] of Object.entries(values)) {
    const { type, bytes } = encode(value)
    const code = regSetKeyValue(localMachine, key, name, type, bytes, bytes.length)
    if (code !== success) {
      throw new UserError(`Windows did not write ${name} of the registry key ${key}: ${reasonOf(code)}.`)
    }
  }
}

/** Removes a machine key with its subkeys; ignores a missing key. Rejects with a UserError. */
export async function removeMachineKey(key: string): Promise<void> {
  const { regDeleteTree } = await winreg()
  const code = regDeleteTree(localMachine, key)
  if (code !== success && code !== notThere) {
    throw new UserError(`Windows did not remove the registry key ${key}: ${reasonOf(code)}.`)
  }
}
