import { expect, test } from 'vitest'
import { useTestServer } from '../support/server.ts'

const hostile = '<img src=x onerror=alert(1)>\u202E\u0007"; DROP TABLE devices'

test('an anonymous report of the test page is shown as text, truncated, and only to the user who created the code', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { id, code } = await owner.applianceNetwork.askDevice({})
  const stranger = server.visitor()
  const say = (browser: string, address = hostile) =>
    stranger.applianceNetwork.reportVisit({ body: { code, address, browser } })
  await expect(say('x'.repeat(501))).rejects.toMatchObject({ status: 400 })
  await expect(say('x', 'y'.repeat(301))).rejects.toMatchObject({ status: 400 })
  await say(hostile)
  const answer = await owner.fetch(`/api/appliance/v1/network/visits/${id}`)
  expect(answer.headers.get('content-type')).toContain('application/json')
  expect(((await answer.json()) as { report: object }).report).toMatchObject({ browser: hostile, address: hostile })
  expect((await stranger.fetch(`/api/appliance/v1/network/visits/${id}`)).status).toBe(401)
  expect(JSON.stringify(server.log.lines)).not.toContain('onerror')
})

test('a page of another site cannot report as a device', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { id, code } = await owner.applianceNetwork.askDevice({})
  const answer = await server.visitor().fetch('/api/appliance/v1/network/visit-reports', {
    method: 'POST',
    headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
    body: JSON.stringify({ code, address: 'x', browser: 'x' }),
  })
  expect(answer.status).toBe(403)
  expect(await owner.applianceNetwork.visit({ params: { visitId: id } })).toEqual({ report: null })
})
