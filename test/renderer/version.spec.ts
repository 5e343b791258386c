import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { offer, otherKey, stubFiles, trustedKey } from '../support/installation.ts'
import { expect, expectAccessible, test as base } from './support/fixtures.ts'

const home = { folder: mkdtempSync(join(tmpdir(), 'farhand-test-home-')) }
let handOvers = 0

/** Server of a desktop program, whose packages end with `.gz`. */
const test = base.extend({
  // oxlint-disable-next-line no-empty-pattern
  serverOptions: async ({}, use) => {
    mkdirSync(join(home.folder, 'versions'))
    writeFileSync(join(home.folder, 'current'), '0.1.0.0')
    const desktop = {
      packageEnding: '.gz',
      roomFactor: 1,
      problem: () => null,
      store: async (file: string, folder: string) => cpSync(file, join(folder, 'stored')),
      keepRunning: async () => {},
    }
    const updateHost = {
      home,
      name: '0.1.0.0',
      desktop,
      handOver: () => void handOvers++,
      reportBack: () => {},
      onSettled: () => {},
    }
    await use({ machine: { releaseKeys: [trustedKey], updateHost } })
    rmSync(home.folder, { recursive: true })
  },
})

test(
  'an administrator sets a feed, reads what is new and updates with a click',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const feed = join(server.directory, 'feed')
    mkdirSync(feed)
    const version = '9.0.0.0'
    const notes = '# Faster\n\n- **Twice** as fast'
    await offer(feed, { version, files: stubFiles(version), file: { kind: 'desktop' }, changes: { notes } })
    await page.goto(server.url)
    await page.getByRole('link', { name: 'Server', exact: true }).click()
    await page.getByRole('link', { name: 'Updates', exact: true }).click()
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

    await offer(feed, { version: '9.9.0.0', files: stubFiles('9.9.0.0'), key: otherKey })
    await section.getByRole('button', { name: 'Check now' }).click()
    await expect(section).toContainText('not signed with a key that this server trusts')
    await expect(offered).toBeVisible()
    expect((await owner.applianceUpdates.state({})).offered?.version).toBe(version)

    const replace = 'Replace the signing key of agents'
    await section.getByRole('button', { name: replace }).click()
    const question = page.getByRole('dialog', { name: replace })
    await expect(question).toContainText('the present key names the new one')
    await expectAccessible(page)
    await question.getByRole('button', { name: replace }).click()
    await expect(section.getByRole('status')).toHaveText('The key was replaced. Devices follow with their next update.')

    await offered.getByRole('button', { name: 'Update to 9.0.0.0' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Update to 9.0.0.0' }).click()
    await expect(section).toContainText('Restarting')
    expect(handOvers).toBe(1)
    const names = readdirSync(join(home.folder, 'versions'), { recursive: true, encoding: 'utf8' })
    expect(names).toEqual([expect.stringMatching(/^9\.0\.0\.0-/), expect.stringMatching(/stored$/)])
  },
)
