import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { serveDescriptions } from '../../../../../server/engines/http/web/api-descriptions.ts'

test('an API description that could not be built is built again for the next reader, then kept', async () => {
  const app = express()
  let builds = 0
  serveDescriptions(app, {
    '/openapi/v1.json': () => {
      builds++
      if (builds === 1) {
        throw new Error('The description is broken.')
      }
      return { openapi: '3.1.1' }
    },
  })
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const read = () => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi/v1.json`)
  expect((await read()).status).toBe(500)
  expect(await (await read()).json()).toEqual({ openapi: '3.1.1' })
  expect((await read()).status).toBe(200)
  expect(builds).toBe(2)
})
