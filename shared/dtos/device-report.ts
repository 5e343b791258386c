import { z } from 'zod'
import { cutList, cutText, double, nameEnum, numberEnum } from '../contract/fields.ts'
import type { SignedForm } from '../contract/signed-bytes.ts'

export const Architecture = numberEnum('Architecture', {
  X86: 0,
  X64: 1,
  Arm: 2,
  Arm64: 3,
  Wasm: 4,
  S390x: 5,
  LoongArch64: 6,
  Armv6: 7,
  Ppc64le: 8,
  RiscV64: 9,
})

const SystemPlatform = numberEnum('SystemPlatform', {
  Unknown: 0,
  Windows: 1,
  Linux: 2,
  MacOs: 3,
  MacCatalyst: 4,
  Android: 5,
  Ios: 6,
  Browser: 7,
})
export type SystemPlatform = z.output<typeof SystemPlatform>

const driveTypes = {
  Unknown: 0,
  NoRootDirectory: 1,
  Removable: 2,
  Fixed: 3,
  Network: 4,
  CDRom: 5,
  Ram: 6,
} as const

/** What each reported field says about itself. */
interface ReportedField {
  /** Its schema in a report: cut, and with what counts when it is missing. */
  request: z.ZodType
  /** Its schema in an answer. */
  response: z.ZodType
  signed: SignedForm
  stored: 'text' | 'integer' | 'real' | 'flag' | 'json'
}

/** One property of all rows of a table, as an object with the rows' names in their order. */
export const columnOf = <Key extends string, Table extends Record<string, Record<Key, unknown>>>(
  table: Table,
  key: Key,
) =>
  Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row[key]])) as {
    [Name in keyof Table]: Table[Name][Key]
  }

const driveText = { schema: cutText(500).default(''), signed: 'string' } as const
const driveSize = { schema: double.default(0), signed: 'double' } as const

const driveMembers = {
  driveType: { schema: nameEnum('DriveType', driveTypes).default('Unknown'), signed: { numbers: driveTypes } },
  rootDirectory: driveText,
  name: driveText,
  driveFormat: driveText,
  freeSpace: driveSize,
  totalSize: driveSize,
  volumeLabel: driveText,
} as const

/** A file system of a device; sizes in GiB. */
export const Drive = z.object(columnOf(driveMembers, 'schema')).meta({ id: 'Drive' })
export type Drive = z.output<typeof Drive>

const text = (maxLength: number) =>
  ({ request: cutText(maxLength).default(''), response: z.string(), signed: 'string', stored: 'text' }) as const
/** So many of each list of a report are stored: more than any real device has. */
const maxItems = 250

const texts = (maxLength: number) =>
  ({
    request: cutList(cutText(maxLength), maxItems).default([]),
    response: z.array(z.string()),
    signed: { list: 'string' },
    stored: 'json',
  }) as const
const real = (description: string) =>
  ({ request: double.default(0), response: double.meta({ description }), signed: 'double', stored: 'real' }) as const
const integer = { signed: 'integer', stored: 'integer' } as const

/**
 * What an agent reports about its device, a row per field, in the order of `docs/hubs.md`: new ones come last. Schemas, signed bytes, columns and their tests are made from it.
 */
export const deviceReport = {
  name: text(100),
  agentVersion: text(50),
  is64Bit: { request: z.boolean().default(false), response: z.boolean(), signed: 'boolean', stored: 'flag' },
  osArchitecture: { request: Architecture.default(0), response: Architecture, ...integer },
  osDescription: text(300),
  platform: { request: SystemPlatform.default(0), response: SystemPlatform, ...integer },
  processorCount: { request: z.number().int().default(0), response: z.number().int(), ...integer },
  cpuUtilization: real('0 to 1'),
  totalMemory: real('GiB'),
  totalStorage: real('GiB, system drive'),
  usedMemory: real('GiB'),
  usedStorage: real('GiB, system drive'),
  currentUsers: texts(256),
  macAddresses: texts(50),
  localIpV4: text(15),
  localIpV6: text(39),
  drives: {
    request: cutList(Drive, maxItems).default([]),
    response: z.array(Drive),
    signed: { list: { map: columnOf(driveMembers, 'signed') } },
    stored: 'json',
  },
  dnsHostName: text(255),
} as const satisfies Record<string, ReportedField>
