import { plural } from '../../../shared/plural.ts'
import { quoted } from '../../text/permission-names.ts'

const list = new Intl.ListFormat('en')

export const settings = {
  name: 'Name:',
  title: 'Settings',
  tabs: 'Parts of the settings',
  general: 'General',
  intro: 'What this organization decides for its people and its devices.',
  readOnly: `You can look, but not change anything: ask an administrator for ${quoted('tenant.settings.write')}.`,

  atDevice: 'What the person at a device sees',
  notify: 'When a remote control session starts',
  notifyChoices: {
    unset: 'Each technician decides',
    true: 'The person is always told',
    false: 'The person is never told',
  },
  notifyHints: {
    unset: 'Everybody chooses in their own account. People see a notice unless the technician turns it off.',
    true: 'No technician can turn it off.',
    false: 'For machines without a person, such as displays. Check whether your rules allow it.',
  },
  preview: 'What appears at the device',
  previewText: (name: string, organization: string) =>
    `${organization === name ? name : `${name} of ${organization}`} controls this screen.`,
  previewButton: 'End session',
  previewNone: 'Nothing appears at the device.',
  yourChoice: (isTold: boolean) =>
    isTold ? 'During your sessions, people see a notice.' : 'During your sessions, people see no notice.',

  signIn: 'Sign-in',
  secondFactor: 'Second factor: an authenticator app or a passkey',
  factorOff: 'Each person decides',
  factorOffHint: 'Everybody can set one up in their own account.',
  factorOn: 'Required',
  factorOnHint:
    'People without one are told until the date. From then on they can only set one up, and their access tokens are rejected. Who signs in through a provider alone needs none here, nor do service accounts and guests of a link.',
  factorFrom: 'Required from',
  withoutFactor: (people: number, names: readonly string[]) => {
    const others = people - names.length
    const listed = names.length === 0 ? [] : others > 0 ? [...names, `${others} more`] : names
    return people === 0
      ? 'Everybody who signs in with a password has one.'
      : `${plural(people, 'person has', 'people have')} none yet${listed.length > 0 ? `: ${list.format(listed)}` : ''}.`
  },
  tokensStop: (tokens: number) =>
    `${plural(tokens, 'access token', 'access tokens')} of theirs would be rejected: use service accounts for programs.`,
  showWithout: 'Show in People',

  install: 'Install commands',
  instanceId: 'Instance',
  instanceIdHint:
    'Part of folder and service names on devices, so that several agents fit on one. Letters, digits, “.”, “_” and “-”, at most 64.',
  appendInstance: 'Install commands name the instance',
  appendInstanceHint: 'Devices that are installed already keep theirs.',
  needsInstance: 'Enter an instance first.',
  save: 'Save',
  reset: 'Reset',
  resetInstance: 'Reset the instance',
  changed: 'The setting is changed',
}
