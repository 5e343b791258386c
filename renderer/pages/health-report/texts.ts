import { plural } from '../../../shared/plural.ts'

export const health = {
  title: 'Health',
  intro: 'What is right and wrong with this server.',
  found: (findings: number, time: string) =>
    `${findings === 0 ? 'Everything is in order.' : `${plural(findings, 'finding', 'findings')} to look at.`} Checked ${time}.`,
  checks: 'Checks',
  states: { ok: 'In order', warning: 'Warning', problem: 'Problem' },
  pages: {
    agents: 'Show devices of your organization',
    backup: 'Open Backup',
    network: 'Open Network',
    server: 'Open Server',
    update: 'Open Updates',
    accounts: 'Open Service accounts',
  },
  again: 'Check again',
  diagnostics: 'Download diagnostics',
  diagnosticsHint:
    'The diagnostics hold this report, settings, counts and warnings of the log. Passwords, keys and tokens are removed; names of devices and people in the log are not.',
}
