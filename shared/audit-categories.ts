/** Groups of the kinds of audit events, for filters. */
export const auditCategories = {
  'sign-in': 'Sign-ins',
  account: 'Accounts and factors',
  credential: 'Tokens and keys',
  people: 'People',
  rights: 'Rights and groups',
  settings: 'Settings',
  device: 'Devices',
  session: 'Remote sessions',
  file: 'Files',
  export: 'Exports',
  alert: 'Alerts',
  server: 'Server',
} as const
export type AuditCategory = keyof typeof auditCategories
