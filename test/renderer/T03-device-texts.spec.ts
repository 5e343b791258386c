import type { Page } from '@playwright/test'
import { failureOf, success, successOf } from '../../shared/dtos/hub-result.ts'
import { connectFileAgent, type FileAgent } from '../support/file-agent.ts'
import { expect, follow, test } from './support/fixtures.ts'

/** Markup that would run as a script in several places, with a name that shows where it came from. */
const markup = (name: string) =>
  `${name}"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`
const link = 'javascript:document.title="owned"//'
const timestamp = '2026-01-01T00:00:00Z'

const desktop = {
  areRemoteControlPermissionsGranted: true,
  desktopName: markup('desktop-name'),
  name: markup('desktop'),
  processId: 4711,
  systemSessionId: 1,
  type: 0 as const,
  username: markup('user'),
}
const entryOf = (name: string, isDirectory: boolean) => ({
  name: markup(name),
  fullPath: `/${markup(name)}`,
  isDirectory,
  size: 1,
  lastModified: timestamp,
  isHidden: false,
  canRead: true,
  canWrite: true,
  hasSubfolders: isDirectory,
})

async function hostileDevice(owner: Parameters<typeof connectFileAgent>[0]): Promise<FileAgent> {
  const entries = [entryOf('file', false), entryOf('folder', true)]
  const device: FileAgent = await connectFileAgent(
    owner,
    {
      GetActiveDesktopSessions: () => [desktop],
      RequestDesktopPreview: () => failureOf(markup('preview')),
      CreateRemoteControlSession: () => failureOf(markup('refused-control')),
      CreateVncSession: () => failureOf(markup('refused-vnc')),
      SendChatMessage: () => failureOf(markup('refused-chat')),
      CreateTerminalSession: () => ({ ...success, isPty: false, shell: markup('shell'), shells: [markup('shells')] }),
      ReceiveTerminalInput: () => failureOf(markup('refused-input')),
      GetRootDrives: () => successOf({ drives: [{ ...entryOf('drive', true), fullPath: '/' }] }),
      GetPathSegments: () => ({
        success: true,
        pathExists: true,
        pathSegments: ['/', markup('segment')],
        pathSeparator: '/',
        errorMessage: null,
      }),
      StreamDirectoryContents: ({ streamId }) => {
        device.send('SendDirectoryContentsStream', [streamId, true], [entries])
        return success
      },
      StreamSubdirectories: ({ streamId }) => {
        device.send('SendSubdirectoriesStream', [streamId], [entries.filter(({ isDirectory }) => isDirectory)])
        return success
      },
      GetLogFiles: () =>
        successOf({
          logFileGroups: [
            {
              groupName: markup('log-group'),
              logFiles: [{ fileName: markup('log'), fullPath: link, size: 1, lastModified: timestamp }],
            },
          ],
        }),
    },
    undefined,
    { isShared: true },
  )
  const drive = {
    driveType: 'Fixed' as const,
    rootDirectory: markup('root'),
    name: markup('drive-name'),
    driveFormat: markup('format'),
    freeSpace: 1,
    totalSize: 2,
    volumeLabel: markup('label'),
  }
  const report = device.agent.report({
    name: markup('device'),
    agentVersion: '<b>9</b>',
    osDescription: markup('system'),
    currentUsers: [markup('current'), link],
    dnsHostName: markup('dns'),
    drives: [drive],
    macAddresses: ['<b>00'],
  })
  await device.UpdateDeviceSigned(device.agent.signed(report))
  await device.SendUpdateRefusal(markup('update-refusal'))
  await device.SendWrongIdentity({ agoMs: 1, address: link, expected: markup('expected'), seen: markup('seen') })
  return device
}

/** Reports answers of people at the device, whom it would be asked about from then on. */
async function answerAsPeople(device: FileAgent) {
  const until = new Date(Date.now() + 3_600_000).toISOString()
  const answer = { subject: 'control' as const, visitorId: link, visitorName: markup('visitor'), until }
  await device.SendConsentAnswers({
    standing: [{ ...answer, person: markup('person') }],
    alwaysAsk: [markup('always-asked')],
  })
}

/** Expects text of the device on the page, as text. */
async function expectText(page: Page, name: string) {
  // The page keeps hidden tabs.
  const shown = page.getByText(`${name}"><img src=x`).filter({ visible: true })
  await expect(shown.first()).toBeVisible()
  await expect(page).not.toHaveTitle('owned')
  expect(await page.locator('img[src="x"], a[href^="javascript:"]').count()).toBe(0)
}

test('texts of a hostile device are text on every page that shows them', async ({ page, server, owner }) => {
  const device = await hostileDevice(owner)
  const address = `/devices/${device.id}`
  await page.goto(`${server.url}/devices`)
  await expectText(page, 'device')
  for (const [path, tab, name] of [
    [address, 'Overview', 'system'],
    [`${address}/control`, 'Remote control', 'desktop'],
    [`${address}/files`, 'Files', 'file'],
    [`${address}/logs`, 'Logs', 'log'],
    [`${address}/chat`, 'Chat', 'desktop'],
  ] as const) {
    await follow(page, path)
    await expect(page.getByRole('tab', { selected: true })).toHaveText(tab)
    await expectText(page, name)
  }
  await follow(page, `${address}/terminal`)
  await page.locator('.xterm-rows').first().waitFor()
  await expect(page).not.toHaveTitle('owned')
  for (const [path, title] of [
    ['/sessions', 'Sessions'],
    ['/audit', 'Audit log'],
  ] as const) {
    await follow(page, path)
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible()
    await expectText(page, 'device')
  }
  await answerAsPeople(device)
  await page.goto(server.url + address)
  for (const name of ['person', 'visitor', 'always-asked']) {
    await expectText(page, name)
  }
  await device.connection.stop()
  await follow(page, address)
  await expectText(page, 'seen')
})
