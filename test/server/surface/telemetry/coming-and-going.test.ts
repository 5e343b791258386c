import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startCollector } from '../../../support/collector.ts'
import { isNight } from '../../../support/night.ts'
import { startServerProcess, temporaryFolder } from '../../../support/server-process.ts'
import { until } from '../../../support/until.ts'

const outages = 100
const mb = 1024 * 1024

test.runIf(isNight)(
  'a collector that is restarted repeatedly costs no memory and no answers, and two log lines per restart',
  async () => {
    const collector = await startCollector()
    const server = await startServerProcess(
      join(await temporaryFolder(), 'data'),
      // Lines of the log flow, so that the outage of that signal ends, too.
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, AppOptions__UseHttpLogging: 'true' },
      {
        OTEL_TRACES_SAMPLER: 'always_on',
        OTEL_BSP_SCHEDULE_DELAY: '20',
        OTEL_BLRP_SCHEDULE_DELAY: '20',
        OTEL_METRIC_EXPORT_INTERVAL: '200',
        OTEL_EXPORTER_OTLP_TIMEOUT: '3000',
      },
    )
    let answered = 0
    const load = async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(`${server.url}/api/v1/version/server`)))
      expect(answers.every(({ ok }) => ok)).toBe(true)
      answered += answers.length
      await Promise.all(answers.map((answer) => answer.arrayBuffer()))
    }
    const lines = (text: string) => server.lines.filter((line) => line.includes(text)).length
    const outage = async (count: number) => {
      collector.stop()
      await until(async () => (await load(), lines('Telemetry does not reach') === count))
      await collector.start()
      const before = collector.spans.length
      await until(async () => (await load(), lines('again, after') === count && collector.spans.length > before))
    }
    await outage(1)
    const live = await server.liveBytes()
    for (let count = 2; count < 2 + outages; count++) {
      await outage(count)
    }
    expect((await server.liveBytes()) - live).toBeLessThan(8 * mb)
    expect(lines('Telemetry does not reach')).toBe(1 + outages)
    expect(answered).toBeGreaterThan(outages * 100)
    await server.stop()
  },
  600_000,
)
