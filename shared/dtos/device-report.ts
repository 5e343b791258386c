import { z } from 'zod'
import { cutList, shortText, double, dto, nameEnum, numberEnum } from '../contract/fields.ts'
import type { SignedEncoding } from '../contract/signed-bytes.ts'

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

const platforms = {
  Unknown: 0,
  Windows: 1,
  Linux: 2,
  MacOs: 3,
  MacCatalyst: 4,
  Android: 5,
  Ios: 6,
  Browser: 7,
} as const
/** Names of the platforms by their number. */
export const platformNames = Object.keys(platforms)

const SystemPlatform = numberEnum('SystemPlatform', platforms)
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

/** Properties of a reported field. */
interface ReportedField {
  /** Schema in a report: with cuts and defaults. */
  request: z.ZodType
  /** Schema in a response. */
  response: z.ZodType
  signed: SignedEncoding
  stored: 'text' | 'integer' | 'real' | 'flag' | 'json'
}

/** A property of all rows of a table, as an object keyed by row name, in order. */
export const columnOf = <Key extends string, Table extends Record<string, Record<Key, unknown>>>(
  table: Table,
  key: Key,
) =>
  Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row[key]])) as {
    [Name in keyof Table]: Table[Name][Key]
  }

const driveText = (description: string) =>
  ({ schema: shortText(500).default('').describe(description), signed: 'string' }) as const
const driveSize = (description: string) =>
  ({ schema: double.default(0).describe(description), signed: 'double' }) as const

const driveMembers = {
  driveType: {
    schema: nameEnum('DriveType', driveTypes)
      .default('Unknown')
      .describe('Agents report `Fixed` ones; `Unknown` where the report left it out.'),
    signed: { numbers: driveTypes },
  },
  rootDirectory: driveText('Path at which the drive is reached, such as `/` or `C:\\\\`.'),
  name: driveText('Name that the system gives the drive, such as `C:\\\\` or the mount point.'),
  driveFormat: driveText('File system, such as `ext4` or `NTFS`.'),
  freeSpace: driveSize('GiB that programs can still use.'),
  totalSize: driveSize('GiB, without what is reserved for the system.'),
  volumeLabel: driveText('Label of the volume; empty without one.'),
} as const

/** The request schemas of reported fields, with the descriptions of the responses. */
export const requestColumns = <Table extends Record<string, ReportedField>>(table: Table) =>
  Object.fromEntries(
    Object.entries(table).map(([name, { request, response }]) => [
      name,
      request.describe(response.description ?? '') as unknown,
    ]),
  ) as { [Name in keyof Table]: Table[Name]['request'] }

/** A file system of a device; sizes in GiB. */
export const Drive = dto('Drive', columnOf(driveMembers, 'schema'))
export type Drive = z.output<typeof Drive>

const text = (maxLength: number, description: string) =>
  ({
    request: shortText(maxLength).default(''),
    response: z.string().describe(description),
    signed: 'string',
    stored: 'text',
  }) as const
/** Maximum number of stored items per list of a report: more than any real device has. */
const maxItems = 250

const texts = (maxLength: number, description: string) =>
  ({
    request: cutList(shortText(maxLength), maxItems).default([]),
    response: z.array(z.string()).describe(description),
    signed: { list: 'string' },
    stored: 'json',
  }) as const
const real = (description: string) =>
  ({ request: double.default(0), response: double.describe(description), signed: 'double', stored: 'real' }) as const
const integer = { signed: 'integer', stored: 'integer' } as const

/**
 * Fields that an agent reports about its device, one row each, in the order of `docs/hubs.md`: new fields are appended.
 * Source of schemas, signed bytes, columns and their tests.
 */
export const deviceReport = {
  name: text(100, 'Host name that the agent reports.'),
  agentVersion: text(50, 'Version that the agent last reported, 2 to 4 numbers with dots.'),
  is64Bit: {
    request: z.boolean().default(false),
    response: z.boolean().describe('Whether the operating system is a 64-bit one.'),
    signed: 'boolean',
    stored: 'flag',
  },
  osArchitecture: {
    request: Architecture.default(0),
    response: Architecture.describe(`Processor architecture of the operating system: ${Architecture.description}.`),
    ...integer,
  },
  osDescription: text(300, 'Name and version of the operating system, such as `Debian GNU/Linux 13 (trixie)`.'),
  platform: {
    request: SystemPlatform.default(0),
    response: SystemPlatform.describe(`Family of the operating system: ${SystemPlatform.description}.`),
    ...integer,
  },
  processorCount: {
    request: z.number().int().default(0),
    response: z.number().int().describe('Logical processors; 0 before the first report.'),
    ...integer,
  },
  cpuUtilization: real('Share of all processors in use since the last report, 0 to 1.'),
  totalMemory: real('GiB of memory.'),
  totalStorage: real('GiB on the system drive, without what is reserved for the system.'),
  usedMemory: real('GiB of memory in use, caches not counted.'),
  usedStorage: real('GiB used on the system drive.'),
  currentUsers: texts(256, 'Users who are signed in at the device; at most 250.'),
  macAddresses: texts(
    50,
    'Addresses of its network interfaces: 12 upper-case hex digits without separators; at most 250.',
  ),
  localIpV4: text(15, 'First address of a network interface; empty without one.'),
  localIpV6: text(39, 'First address of a network interface; empty without one.'),
  drives: {
    request: cutList(Drive, maxItems).default([]),
    response: z.array(Drive).describe('Fixed drives, by path; at most 250.'),
    signed: { list: { map: columnOf(driveMembers, 'signed') } },
    stored: 'json',
  },
  dnsHostName: text(255, 'Fully qualified host name; empty where the agent does not send it.'),
} as const satisfies Record<string, ReportedField>
