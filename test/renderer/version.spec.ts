import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { offer, otherKey, stubFiles, trustedKey } from '../support/installation.ts'
import { startTestServer } from '../support/server.ts'
import { expect, expectAccessible, test as base } from './support/fixtures.ts'

const opened: string[] = []

/** Server of a desktop program, whose installers end with `.gz`. */
const test = base.extend({
  // oxlint-disable-next-line no-empty-pattern
  server: async ({}, use) => {
    const updateHost = {
      kind: 'desktop',
      installerExtension: '.gz',
      openInstaller: async (file: string) => void opened.push(file),
    } as const
    const server = await startTestServer({ machine: { releaseKeys: [trustedKey], updateHost } })
    await use(server)
    await server.stop()
  },
})

test('an administrator sets a feed, reads what is new and updates with a click', async ({ page, server, owner }) => {
  const feed = join(server.directory, 'feed')
  mkdirSync(feed)
  const version = '9.0.0.0'
  const notes = '# Faster\n\n- **Twice** as fast'
  await offer(feed, { version, files: stubFiles(version), file: { kind: 'desktop' }, changes: { notes } })
  await page.goto(server.url)
  await page.getByRole('link', { name: 'Server', exact: true }).click()
  const section = page.getByRole('region', { name: 'Version', exact: true })
  await expect(section).toContainText('no feed is set')

  const settings = page.getByRole('region', { name: 'Updates', exact: true })
  await settings.getByLabel('Feed').fill('releases')
  await settings.getByRole('button', { name: 'Save' }).click()
  await expect(settings).toContainText('must be an https address')
  await settings.getByLabel('Feed').fill(feed)
  await page.keyboard.press('Enter')
  await expect(settings.getByText('Saved', { exact: true })).toBeVisible()
  await section.getByRole('button', { name: 'Check now' }).click()
  const offered = section.getByRole('group', { name: 'Version 9.0.0.0 is available' })
  await offered.getByText('What is new').click()
  await expect(offered.getByRole('listitem')).toHaveText('Twice as fast')
  await expectAccessible(page)

  await offered.getByRole('button', { name: 'Update to 9.0.0.0' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Update to 9.0.0.0' }).click()
  await expect(section).toContainText('The installer of 9.0.0.0 was opened.')
  expect(opened).toEqual([join(server.directory, 'updates', readdirSync(join(feed, version))[0]!)])

  await offer(feed, { version: '9.9.0.0', files: stubFiles('9.9.0.0'), key: otherKey })
  await section.getByRole('button', { name: 'Check now' }).click()
  await expect(section).toContainText('not signed with a key that this server trusts')
  await expect(offered).toBeVisible()
  expect((await owner.applianceUpdates.state({})).offered?.version).toBe(version)
})
