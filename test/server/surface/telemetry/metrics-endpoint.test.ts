import { request } from 'node:http'
import { expect, test } from 'vitest'
import { serverForFile } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'

const token = 'token-of-the-scraper-with-32-signs'
const server = serverForFile({ settings: { Metrics__Token: token } })

const read = (headers: Record<string, string> = {}) => fetch(`${server.url}/metrics`, { headers })

test('metrics are read with their token only', async () => {
  expect((await read()).status).toBe(401)
  expect((await read({ authorization: 'Bearer wrong' })).status).toBe(401)
  const answer = await read({ authorization: `Bearer ${token}` })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4')
})

test('metrics have the routes of requests, and the numbers of the product', async () => {
  await fetch(`${server.url}/api/v1/version/server`)
  const text = async () => (await read({ authorization: `Bearer ${token}` })).text()
  await until(async () => (await text()).includes('http_route="/api/v1/version/server"'))
  expect(await text()).toMatch(/^farhand_hub_connections\{farhand_hub="agent".*\} 0$/m)
  expect(await text()).toMatch(/^process_cpu_time_seconds_total\{.*cpu_mode="user".*\} [\d.]+$/m)
  const names = [...(await text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)
  expect(names).toEqual(
    expect.arrayContaining(['http_server_request_duration_seconds', 'process_memory_usage_bytes', 'farhand_sessions']),
  )
})

/** Status of a request with a name of its own for the server, which `fetch` cannot send. */
const statusFor = (host: string, headers: Record<string, string> = {}) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(`${server.url}/metrics`, { headers: { host, ...headers } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

test('programs of this machine need no token where that is set; a proxy and a foreign name do', async () => {
  server.settings['Metrics__AllowLocal'] = 'true'
  await server.restart()
  expect((await read()).status).toBe(200)
  expect((await read({ 'x-forwarded-for': '203.0.113.7' })).status).toBe(401)
  expect(await statusFor('attacker.example')).toBe(421)
})

test('without a setting there are no metrics', async () => {
  server.settings['Metrics__AllowLocal'] = 'false'
  server.settings['Metrics__Token'] = ''
  await server.restart()
  expect((await read({ accept: 'application/json' })).status).toBe(404)
})
