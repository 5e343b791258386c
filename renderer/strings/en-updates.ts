import type { UpdateRunDto, UpdateStateDto } from '../../shared/dtos/update.ts'
import { count } from './counts.ts'

/** Texts of the section Version of the Server page. */
export const updates = {
  title: 'Version',
  running: (version: string) => `Farhand ${version} is running.`,
  noFeed: 'This server looks for no new versions: no feed is set.',
  newest: 'No newer version is available.',
  checked: 'Checked',
  check: 'Check now',
  offered: (version: string) => `Version ${version} is available`,
  signed: 'Signed',
  size: (size: string) => `${size} to download`,
  notes: 'What is new',
  install: (version: string) => `Update to ${version}`,
  installTitle: (version: string) => `Update to version ${version}?`,
  installText:
    'The server restarts: remote sessions and transfers end, and devices reconnect by themselves. If the new version does not work within five minutes, the previous version starts again with its data.',
  installDesktop: 'Your system may ask for an administrator.',
  steps: {
    backup: 'Backing up',
    download: 'Downloading',
    unpack: 'Unpacking',
    'hand-over': 'Restarting',
    trial: 'The new version is on trial: waiting until devices are back',
  } satisfies Record<NonNullable<UpdateStateDto['running']>['step'], string>,
  progress: (version: string) => `Update to ${version}`,
  downloaded: (done: string, total: string) => `${done} of ${total}`,
  away: 'The server is restarting. This page follows by itself.',
  reload: 'Reload this page',
  reloadHint: (version: string) => `The server runs version ${version} now, and this page is older.`,

  back: (version: string) => `Go back to ${version}`,
  backTitle: (version: string) => `Go back to version ${version}?`,
  backKeepsData: 'The server restarts with its present data.',
  backRestores: (when: string) =>
    `The previous version cannot read the present data. The data of ${when} is put back, and the present data is moved aside in the data folder.`,

  outcomes: {
    installed: (from: string, to: string) => `Updated from ${from} to ${to}.`,
    failed: (from: string, to: string) => `The update to ${to} failed. Version ${from} is running.`,
    returned: (from: string, to: string) => `Went back from ${from} to ${to}.`,
    stopped: (_from: string, to: string) => `The update to ${to} was stopped. Nothing was changed.`,
  } satisfies Record<NonNullable<UpdateRunDto['outcome']>, (from: string, to: string) => string>,
  restored: 'The earlier data was put back; newer data was moved aside in the data folder.',
  by: (name: string | null) => (name === null ? 'by a command' : `by ${name}`),
  history: 'Earlier updates',

  rotateKey: 'Replace the signing key of agents',
  rotateKeyHint:
    'New versions of the agent are signed with a new key. Devices follow by themselves: the present key names the new one. Do it after somebody could read the data folder or a backup.',
  keyRotated: 'The key was replaced. Devices follow with their next update.',
  rollout: 'Agents',
  rolloutOf: (organization: string) => `Agents of ${organization}`,
  rings: { 1: 'one device', 2: 'ten per cent of the devices', 3: 'all devices' } as Readonly<Record<number, string>>,
  rollouts: {
    running: (version: string, ring: string) => `Version ${version} of the agent goes to ${ring}.`,
    stopped: (version: string, ring: string) =>
      `Version ${version} of the agent was stopped at ${ring}. Devices without it keep their version.`,
    done: (version: string, _ring: string) => `Version ${version} of the agent went to all devices.`,
  },
  counts: ({ updated, asked, failed, waiting }: { updated: number; asked: number; failed: number; waiting: number }) =>
    `${count(updated, 'device', 'devices')} updated, ${asked} in progress, ${failed} failed, ${waiting} waiting.`,
  resume: 'Go on with the rollout',
  failures: 'Devices that failed',

  settings: 'Updates',
  settingsHint: 'Where new versions come from, and how devices get them.',
}
