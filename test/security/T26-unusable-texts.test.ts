import { expect, test } from 'vitest'
import { useTestServer } from '../support/server.ts'

test('a body with thousands of NULs below long names gets a short answer', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const send = async (texts: number) => {
    const name = 'n'.repeat(250_000)
    const list = `[${Array.from({ length: texts }, () => String.raw`"\u0000"`).join()}]`
    const answer = await owner.fetch('/api/appliance/v1/devices/find', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"${name}":`.repeat(7) + list + '}'.repeat(7),
    })
    const text = await answer.text()
    return [answer.status, text.includes('NUL'), text.length < 10_000]
  }
  expect(await send(10)).toEqual([400, true, true])
  // All paths of this body together are 24 GB.
  expect(await send(14_000)).toEqual([400, true, true])
})
