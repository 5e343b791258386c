import type { RecordingMode } from '../../../../shared/dtos/recording.ts'

export const recordingPolicies = {
  title: 'Recording',
  intro: 'Which sessions are recorded, and how long recordings are kept. Running sessions are not affected.',
  organization: 'Organization',
  mode: 'Record sessions',
  modes: { off: 'Never', allowed: 'When a technician presses Record', always: 'Always' } satisfies Record<
    RecordingMode,
    string
  >,
  hints: {
    off: 'Nothing is recorded, and nothing can be kept afterwards.',
    allowed: 'The last two minutes of a session can be kept afterwards.',
    always:
      'Every session is recorded from its beginning. VNC sessions are rejected. If nothing can be stored, sessions end.',
  } satisfies Record<RecordingMode, string>,
  days: 'Keep for days',
  daysDefault: '90',
  asOrganization: 'As organization',
  space: 'Space in GB',
  spaceHint: 'The oldest recordings above it are removed.',
  spaceDefault: '20',
  exceptions: 'Customers and tags',
  rule: 'Always wins over any other choice. Otherwise the most specific one applies: tag, site, customer, organization. Among tags, Never wins.',
  addCustomer: 'Add customer',
  addTag: 'Add tag',
  ofCustomer: (name: string) => `Customer ${name}`,
  ofTag: (name: string) => `Tag ${name}`,
  remove: (name: string) => `Remove ${name}`,
  save: 'Save',
  saved: 'Saved.',
}
