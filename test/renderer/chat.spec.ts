import type { Page } from '@playwright/test'
import { addMember } from '../support/people.ts'
import type { Member } from '../support/server.ts'
import { ChatAgent } from './support/chat-agent.ts'
import { expect, expectAccessible, freshPageTest, test as base, usePage } from './support/fixtures.ts'
import { cuttableNetwork } from './support/network.ts'

async function startAgent({ owner }: { owner: Member }, use: (agent: ChatAgent) => Promise<void>) {
  const agent = await ChatAgent.start(owner)
  await use(agent)
  await agent.stop()
}

const test = base.extend<{ agent: ChatAgent }>({ agent: startAgent })
const alone = freshPageTest.extend<{ agent: ChatAgent }>({ agent: startAgent })

const field = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const lines = (page: Page) => page.getByRole('log')

async function openChat(page: Page, url: string, agent: ChatAgent) {
  await page.goto(`${url}/devices/${agent.deviceId}/chat`)
  await expect(field(page)).toBeFocused()
}

async function say(page: Page, text: string) {
  await field(page).fill(text)
  await field(page).press('Enter')
}

test('a chat is plain text both ways, shows the delivery of each message, and ends when closed', async ({
  page,
  server,
  agent,
}) => {
  await openChat(page, server.url, agent)
  await expect(page.getByText('No messages yet')).toBeVisible()
  await expectAccessible(page)
  await say(page, 'May I look at your printer?')
  await expect(lines(page)).toContainText('Shown at the device')
  expect(agent.texts).toEqual(['May I look at your printer?'])
  // T18: text of the device is not turned into links.
  expect(await agent.say('<img src=x onerror=alert(1)> https://evil.example/')).toBe(true)
  await expect(lines(page)).toContainText('<img src=x onerror=alert(1)> https://evil.example/')
  await expect(lines(page).getByRole('link')).toHaveCount(0)
  await expect(lines(page).locator('img')).toHaveCount(0)

  agent.refusal = 'The browser of the device showed no window.'
  await say(page, 'Still there?')
  await expect(lines(page)).toContainText('Not shown: The browser of the device showed no window.')
  agent.refusal = undefined
  await page.getByRole('button', { name: 'Send again' }).click()
  await expect.poll(() => agent.texts).toEqual(['May I look at your printer?', 'Still there?'])
  await expect(page.getByRole('button', { name: 'Send again' })).toHaveCount(0)

  expect(await agent.say('The chat window was closed.', { isClosed: true })).toBe(true)
  await expect(lines(page)).toContainText('The chat window was closed at the device.')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Close chat' }).click()
  await expect.poll(() => agent.closed).toEqual([agent.messages[0]!.sessionId])
  await expect(lines(page)).toContainText('You closed this chat.')
  expect(await agent.say('Too late')).toBe(false)
})

test(
  'a chat message on another page raises a quiet notice and is counted until read',
  { tag: '@night' },
  async ({ page, server, agent }) => {
    await openChat(page, server.url, agent)
    await say(page, 'Hello')
    await expect(lines(page)).toContainText('Shown at the device')
    await page.getByRole('link', { name: 'Devices' }).first().click()
    await expect(page.getByRole('grid')).toBeVisible()
    expect(await agent.say('Hi there')).toBe(true)
    const toast = page.getByRole('alert').filter({ hasText: 'Hi there' })
    await expect(toast).toBeVisible()
    await expect(page.getByRole('grid').getByText('1 unread answer')).toBeAttached()
    await expect(page.getByRole('navigation').getByText('1 unread answer')).toBeAttached()
    await toast.getByRole('button', { name: 'Open the chat' }).click()
    await expect(lines(page)).toContainText('Hi there')
    await expect(page.getByText('1 unread answer')).toHaveCount(0)

    await page.reload()
    await expect(lines(page)).toContainText('Hi there')
    // The call waits until the page is live again.
    expect(await agent.say('Are you back?')).toBe(true)
    await expect(lines(page)).toContainText('Are you back?')

    await page.getByRole('tab', { name: 'Overview' }).click()
    await expect(field(page)).toBeHidden()
    expect(await agent.say('Hello?')).toBe(true)
    await expect(page.getByRole('tab', { name: 'Chat 1 unread answer' })).toBeVisible()
    await expectAccessible(page)
  },
)

alone('a chat message typed offline is sent only by the person', { tag: '@night' }, async ({ page, server, agent }) => {
  const network = await cuttableNetwork(page)
  await openChat(page, server.url, agent)
  await say(page, 'Hello')
  await expect(lines(page)).toContainText('Shown at the device')
  network.cut()
  await expect(page.getByText('Your text is kept, but not sent')).toBeVisible()
  await say(page, 'rm -rf /')
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
  network.mend()
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled()
  await expect(field(page)).toHaveValue('rm -rf /')
  expect(agent.texts).toEqual(['Hello'])
  await field(page).press('Enter')
  await expect.poll(() => agent.texts).toEqual(['Hello', 'rm -rf /'])
})

test(
  'a person with the chat right alone sees who is signed in, and reads when somebody ends the chat',
  { tag: '@night' },
  async ({ page, context, server, owner }) => {
    const member = await addMember(server, owner.tenantId, ['device.read', 'device.chat.send'])
    const agent = await ChatAgent.start(owner)
    agent.addPerson('carla')
    await usePage(context, member)
    await openChat(page, server.url, agent)
    await page.getByRole('button', { name: 'carla' }).click()
    await say(page, 'Hello Carla')
    await expect.poll(() => agent.messages.map(({ targetProcessId }) => targetProcessId)).toEqual([2])
    await expect(page.getByRole('tab')).toHaveText(['Overview', 'Chat', 'Timeline'])
    const { items } = await owner.applianceRemoteSessions.list({})
    await owner.applianceRemoteSessions.end({ params: { sessionId: items[0]!.id }, body: { reason: '<b>Lunch</b>' } })
    const toast = page.getByRole('alert').filter({ hasText: 'ended the session: <b>Lunch</b>' })
    await expect(toast).toContainText('Note')
    await expectAccessible(page)
    await agent.stop()
  },
)
