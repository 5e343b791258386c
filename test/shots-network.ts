import { chromium } from '@playwright/test'
import { chromiumLaunch } from '../scripts/chromium.mjs'
import { startTestServer } from './support/server.ts'
import { card, freePort, takenPort } from './support/network.ts'
const out = '/tmp/shots/network'
const only = process.argv[2]
const browser = await chromium.launch(chromiumLaunch())
const machine = { readInterfaces: () => ({ eth0: card('192.168.1.20', '2001:db8:0:1::20'), docker0: card('172.17.0.1') }) }
const sizes = [[1440, 900], [1024, 700], [720, 900]] as const
async function withServer(listenOn: string, settings: Record<string,string>, work: (s: any, owner: any, ctx: any) => Promise<void>) {
  const server = await startTestServer({ listenOn, settings, machine })
  const owner = await server.owner()
  const ctx = await browser.newContext({ ignoreHTTPSErrors: true })
  const [name, value] = owner.cookie!.split('=') as [string, string]
  await ctx.addCookies([{ name, value, url: server.url, httpOnly: true, sameSite: 'Lax' }])
  try { await work(server, owner, ctx) } catch (e) { console.log(e) }
  await ctx.close()
  server.log.lines.filter(({level}) => level === 'error').forEach(l => console.log(JSON.stringify(l)))
  await server.stop().catch(() => {})
}
async function shoot(ctx: any, url: string, name: string, act?: (page: any) => Promise<void>) {
  if (only && !name.startsWith(only)) return
  for (const [width, height] of sizes) for (const colorScheme of ['light', 'dark'] as const) {
    const page = await ctx.newPage()
    page.on('console', (m: any) => m.type() === 'error' && console.log(name, m.text()))
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto(url)
    await page.waitForTimeout(900)
    await act?.(page)
    const h = await page.evaluate(() => Math.max(...[...document.querySelectorAll('main, body')].map((e) => e.scrollHeight)))
    await page.setViewportSize({ width, height: Math.max(height, Math.min(h + 10, 2400)) })
    await page.waitForTimeout(250)
    await page.screenshot({ path: `${out}/${name}-${width}-${colorScheme}.png` })
    await page.close()
  }
}
await withServer('http://127.0.0.1:0', {}, async (server, owner, ctx) => {
  await shoot(ctx, `${server.url}/network`, 'off')
  const port = await freePort()
  await owner.applianceNetwork.set({ body: { isServed: true, port, names: ['farhand.example.org'] } })
  await shoot(ctx, `${server.url}/network`, 'on', async (page) => {
    await page.getByRole('button', { name: 'Test from here' }).click()
    await page.getByRole('button', { name: 'Make a test address' }).click()
    await page.waitForTimeout(3500)
  })
  await shoot(ctx, `${server.url}/trust`, 'trust')
  await shoot(ctx, `https://127.0.0.1:${port}/trust`, 'trusthttps')
  await shoot(ctx, `https://127.0.0.1:${port}/network-test#ABC`, 'test')
  await shoot(ctx, `${server.url}/deploy`, 'deploy')
  const taken = await takenPort()
  const { port: other } = taken.address() as { port: number }
  await shoot(ctx, `${server.url}/network`, 'taken', async (page) => {
    await page.getByLabel('Port', { exact: true }).fill(String(other))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForTimeout(500)
  })
  await shoot(ctx, `${server.url}/network`, 'upload', async (page) => {
    await page.getByRole('button', { name: 'Use a certificate' }).click()
    await page.waitForTimeout(300)
  })
  taken.close()
})
await withServer('http://127.0.0.1:0;https://0.0.0.0:0;http://0.0.0.0:0', { Branding__PublicUrl: 'https://rmm.example.org', Tls__CertificatePath: '/etc/ssl/missing.pem' }, async (server, owner, ctx) => {
  await shoot(ctx, `${server.url}/network`, 'fixed')
})
await browser.close()
