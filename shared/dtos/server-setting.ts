import { z } from 'zod'
import { count, dateTime, dto, textOrNull } from '../contract/fields.ts'

export const SettingSource = z.enum(['default', 'stored', 'file', 'environment', 'secrets directory'])

/** A setting in force. */
export const ServerSettingDto = dto('ServerSettingDto', {
  key: z.string().describe('Name of the setting without prefix, such as `AppOptions__SmtpHost`.'),
  variable: z.string().describe('Environment variable that sets it.'),
  description: z.string().describe('What it does.'),
  group: z
    .enum(['mail', 'dashboard', 'limits', 'people', 'updates', 'decommission'])
    .nullable()
    .describe('Part of the Server page that edits it; null: only a file or the environment sets it.'),
  type: z.string().describe('Type of the value, or its choices.'),
  allowed: z.string().describe('Values that are accepted.'),
  isSecret: z.boolean().describe('Secrets are stored sealed and never returned.'),
  isSet: z.boolean().describe('Whether it has a value besides the default.'),
  value: textOrNull.describe('Text in force; null for a secret, a path that the caller may not know, or no value.'),
  defaultValue: textOrNull.describe('Text in force while nobody sets it; null for none.'),
  source: SettingSource.describe('Where the value in force comes from.'),
  isStored: z.boolean().describe('Whether a value is stored, in force or not.'),
  lockedBy: z
    .array(z.string())
    .describe('Variables in file or environment that decide instead: a stored value has no effect while they are set.'),
  takesEffect: z
    .enum(['at-once', 'after-restart'])
    .describe('When a change has an effect: stored ones at once, others after a restart of the server.'),
})
export type ServerSettingDto = z.output<typeof ServerSettingDto>

export const ServerSettingListDto = dto('ServerSettingListDto', {
  items: z.array(ServerSettingDto).describe('All settings that have an effect, in the order of the docs.'),
})

export const ChangeServerSettingsDto = dto(
  'ChangeServerSettingsDto',
  {
    changes: z
      .array(
        z.object({
          key: z.string().max(100).describe('Setting of a group, by its `key`.'),
          value: z
            .string()
            .max(1_000)
            .nullable()
            .describe('Text as in a settings file. Null or empty: the stored value is removed.'),
        }),
      )
      .min(1)
      .max(50)
      .describe('Changes that are made together or not at all; each key once.'),
  },
  { examples: [{ changes: [{ key: 'AppOptions__AuditLogRetentionDays', value: '365' }] }] },
)

export const DecommissionDto = dto(
  'DecommissionDto',
  {
    isEnabled: z.boolean().describe('Whether agents are asked to uninstall themselves when they next report.'),
    serverName: z
      .string()
      .max(300)
      .nullish()
      .describe('Name of this server, the `computer` of its state, typed by a person. Needed to begin.'),
  },
  { examples: [{ isEnabled: true, serverName: 'rmm-server' }] },
)
export type DecommissionDto = z.output<typeof DecommissionDto>

const bytes = z.number().int().min(0)

/** State of the server for its administrators. */
export const ServerStateDto = dto('ServerStateDto', {
  version: z.string().describe('Version of this server, 2 to 4 numbers with dots.'),
  startedAt: dateTime.describe('When this process started.'),
  computer: z.string().describe('Name of the computer that the server runs on.'),
  system: z.string().describe('Operating system with its version.'),
  runtime: z.string().describe('Version of Node.js.'),
  settingsFile: textOrNull.describe('Settings file that was read; null for none.'),
  dataDirectory: z.string().describe('Folder of database and keys.'),
  secretStore: z.enum(['keychain', 'file']).describe('Where the master key is kept.'),
  databaseBytes: bytes.describe('Size of the database file.'),
  databaseLogBytes: bytes.describe('Size of its write-ahead log.'),
  freeBytes: bytes.nullable().describe('Free space of the disk with the data folder; null if unknown.'),
  logBytes: bytes.nullable().describe('Size of the log file; null where the log goes to the terminal or the journal.'),
  auditEvents: count('Events in the audit log.'),
  connections: z
    .object({
      agents: count('Connected agents.'),
      viewers: count('Connected pages and programs.'),
      sessions: count('Active remote sessions.'),
    })
    .describe('Connections at this moment.'),
  isMailOn: z.boolean().describe('Whether the server is set up to send mail.'),
})
export type ServerStateDto = z.output<typeof ServerStateDto>

export const ServerLogDto = dto('ServerLogDto', {
  isKept: z.boolean().describe('False where the log goes to the terminal or the journal of the system.'),
  items: z
    .array(
      z.object({
        at: dateTime.nullable().describe('When it was written; null where the line has no time.'),
        level: z.enum(['debug', 'info', 'warn', 'error']).describe('Weight of the line.'),
        message: z.string().describe('The sentence.'),
        fields: z.string().describe('JSON of what belongs to it; secrets are left out when the log is written.'),
      }),
    )
    .describe('Newest lines first.'),
})
export type ServerLogDto = z.output<typeof ServerLogDto>
