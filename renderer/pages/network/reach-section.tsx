import { Box, Button, Group } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { FirewallDto, NetworkDto } from '../../../shared/dtos/network.ts'
import { api } from '../../api/http.ts'
import { networkQueries } from '../../api/network-queries.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { DeviceTest } from './device-test.tsx'
import card from '../../components/card-page.module.css'
import commandBox from '../../components/command.module.css'
import classes from './network-page.module.css'

const signs = { ours: IconCircleCheck, foreign: IconCircleX, silent: IconAlertTriangle }

function TestFromHere() {
  const test = useMutation({ mutationFn: () => api.network.test({}) })
  return (
    <>
      <h3>{t.network.here}</h3>
      <p className="muted">{t.network.hereHint}</p>
      <div role="status">
        {test.data && (
          <ul className={`${classes.list} ${classes.results}`}>
            {test.data.items.map(({ address, outcome, detail }) => {
              const Sign = signs[outcome]
              return (
                <li key={address}>
                  <code>{address}</code>
                  <span className={classes.outcome} data-outcome={outcome}>
                    <Sign size={16} aria-hidden />
                    {t.network.outcomes[outcome]}
                    {detail !== null && `: ${detail}`}
                  </span>
                </li>
              )
            })}
          </ul>
        )}
      </div>
      {test.error && <ProblemAlert error={test.error} />}
      <Group gap={8} mt={12}>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {t.network.here}
        </Button>
      </Group>
    </>
  )
}

function wordsOf({ firewall, isActive, command }: FirewallDto) {
  const name = t.network.firewallNames[firewall]
  if (firewall === 'none') {
    return t.network.firewallNone
  }
  if (command === null) {
    return t.network.firewallOff(name)
  }
  return isActive ? t.network.firewallActive(name) : t.network.firewallMaybe(name)
}

function Firewall({ port }: { port: number }) {
  const { data, error, refetch } = useQuery(networkQueries.firewall(port))
  return (
    <>
      <h3>{t.network.firewall}</h3>
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data && <p className="muted">{wordsOf(data)}</p>}
      {data?.command != null && (
        <>
          <p className="small muted" style={{ margin: 0 }}>
            {t.network.firewallShell[data.firewall === 'windows' ? 'powershell' : 'terminal']}
          </p>
          <pre className={commandBox.command} tabIndex={0} aria-label={t.network.firewall}>
            {data.command}
          </pre>
          <CopyButton text={data.command} label={t.network.copyCommand} />
        </>
      )}
    </>
  )
}

/** Connectivity tests and firewall advice. */
export const ReachSection = ({ network }: { network: NetworkDto }) => (
  <section className={`${classes.section} ${card.wide}`} aria-label={t.network.reach}>
    <h2>{t.network.reach}</h2>
    <div className={classes.beside}>
      <div>
        <TestFromHere />
        <Firewall port={network.settings.port} />
      </div>
      <Box flex="1 1 280px" miw={0}>
        <DeviceTest addresses={network.addresses} />
      </Box>
    </div>
  </section>
)
