import { z } from 'zod'
import { dateTime, dto, textOrNull } from '../contract/fields.ts'

export const HealthState = z.enum(['ok', 'warning', 'problem'])
export type HealthState = z.output<typeof HealthState>

/** Findings about the server, each with what to do. */
export const HealthReportDto = dto('HealthReportDto', {
  at: dateTime.describe('When the checks ran.'),
  version: z.string().describe('Version of this server, 2 to 4 numbers with dots.'),
  startedAt: dateTime.describe('When this process started.'),
  state: HealthState.describe('Worst state of all checks.'),
  checks: z
    .array(
      z.object({
        id: z.string().describe('Stable name of the check.'),
        title: z.string().describe('Subject of the check.'),
        state: HealthState.describe('`problem`: something does not work. `warning`: something will not, or may not.'),
        summary: z.string().describe('Finding in a sentence.'),
        advice: textOrNull.describe('What to do; null where nothing needs to be done.'),
        since: dateTime.nullable().describe('Since when it is so; null if unknown, or where nothing needs to be done.'),
      }),
    )
    .describe('One row per subject.'),
  lastEnd: z
    .object({
      ending: z
        .enum(['crashed', 'vanished'])
        .describe(
          '`crashed`: an unexpected error ended the process. `vanished`: nobody noted the end, as in a power cut.',
        ),
      at: dateTime.describe('When it ended, as far as known.'),
      reason: textOrNull.describe('The error; null if unknown.'),
    })
    .nullable()
    .describe('How the run before ended; null after an orderly stop.'),
})
export type HealthReportDto = z.output<typeof HealthReportDto>

export const DiagnosticsDto = dto('DiagnosticsDto', {
  report: HealthReportDto.describe('The health report.'),
  server: z.record(z.string(), z.unknown()).describe('State of the server, as on the Server page.'),
  settings: z
    .array(
      z.object({
        key: z.string().describe('Name of the setting.'),
        value: textOrNull.describe('Text in force; null for a secret or no value.'),
        source: z.string().describe('Where the value comes from.'),
      }),
    )
    .describe('Settings that are not defaults.'),
  runs: z.array(z.record(z.string(), z.unknown())).describe('Newest runs of the server, with their endings.'),
  rows: z.record(z.string(), z.number().int()).describe('Number of rows by table.'),
  log: z.array(z.string()).describe('Newest warnings and errors of the log, secrets removed.'),
})
