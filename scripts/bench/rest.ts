import { registerFleet } from '../simulate/fleet.ts'
import { withBare, withServer } from '../simulate/server-process.ts'
import { loadHttp, rounded } from './measure.ts'

const connections = 32
const seconds = 5

/** `--devices 1000`: the device list, beside a bare handler that answers as many bytes. */
export async function rest(options: { devices?: string }) {
  const devices = Number(options.devices ?? 1000)
  return await withServer({}, async (server) => {
    const { cookie } = await registerFleet(server.url, devices)
    const url = `${server.url}/api/v1/devices`
    const body = await (await fetch(url, { headers: { cookie } })).text()
    const cpuBefore = await server.cpuSeconds()
    const list = await loadHttp({ url, headers: { cookie }, connections, seconds })
    const cpu = (await server.cpuSeconds()) - cpuBefore
    const bare = await withBare('http', [String(body.length)], (bareServer) =>
      loadHttp({ url: bareServer.url, connections, seconds }),
    )
    return {
      devices,
      bodyBytes: body.length,
      list: { ...list, cpuMsPerRequest: rounded((cpu * 1000) / (list.requestsPerSecond * seconds)) },
      bare,
      ratioToBare: rounded(list.requestsPerSecond / bare.requestsPerSecond),
    }
  })
}
