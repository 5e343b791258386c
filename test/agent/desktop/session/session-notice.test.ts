import { expect, test } from 'vitest'
import { SessionNotice } from '../../../../agent/desktop/session/session-notice.ts'
import { MemoryDesktop } from './memory-desktop.ts'
import { startScene } from './scene.ts'

test('the notice names the organization, and is shown anew when the displays change', async () => {
  const desktop = new MemoryDesktop([320, 200])
  const request = { organizationName: 'Analytical Engines', notifyUserOnSessionStart: true }
  const { ended, viewer } = await startScene({ desktop, request })
  expect(desktop.notices).toMatchObject([{ text: 'Ada of Analytical Engines controls this screen.', isClosed: false }])
  desktop.onDisplaysChanged()
  expect(desktop.notices.map(({ isClosed }) => isClosed)).toEqual([true, false])
  viewer.close()
  await ended
})

test('a recorded session shows a notice, also where none was requested, until the recording ends (T50)', async () => {
  const sessionId = '00000000-0000-0000-0000-000000000007'
  const desktop = new MemoryDesktop([320, 200])
  const notice = new SessionNotice()
  const { ended, viewer } = await startScene({ desktop, notice, request: { sessionId, isRecorded: true } })
  expect(desktop.notices.at(-1)).toMatchObject({ text: 'Ada controls this screen and records it.', isClosed: false })
  notice.setRecorded(sessionId, false)
  expect(desktop.notices.every(({ isClosed }) => isClosed)).toBe(true)
  notice.setRecorded(sessionId, true)
  expect(desktop.notices.at(-1)!.isClosed).toBe(false)
  viewer.close()
  await ended
})

test('a session whose recording begins while it connects shows the notice from its start (T50)', async () => {
  const sessionId = '00000000-0000-0000-0000-000000000008'
  const desktop = new MemoryDesktop([320, 200])
  const notice = new SessionNotice()
  notice.setRecorded(sessionId, true)
  const { ended, viewer } = await startScene({ desktop, notice, request: { sessionId } })
  expect(desktop.notices.at(-1)).toMatchObject({ text: 'Ada controls this screen and records it.', isClosed: false })
  viewer.close()
  await ended
})

test('a notice with many viewers names four at most', async () => {
  const desktop = new MemoryDesktop([320, 200])
  const notice = new SessionNotice()
  for (const name of ['Ada', 'Bob', 'Cy', 'Di', 'Eve', 'Ada']) {
    notice.add({ desktop, sessionId: name, name, canInteract: true, isShown: true, isRecorded: false, end: () => {} })
  }
  expect(desktop.notices.at(-1)!.text).toBe('Ada, Bob, Cy, and 2 others control this screen.')
})
