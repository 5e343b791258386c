import { Anchor, Button, Tabs } from '@mantine/core'
import { IconCircleCheck, IconDownload, IconInfoCircle, IconShieldExclamation } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { applianceNetwork } from '../../../shared/api/appliance-network.ts'
import { networkQueries } from '../../api/network-queries.ts'
import type { NetworkTrustDto } from '../../../shared/dtos/network.ts'
import { Fingerprint } from '../../components/fingerprint.tsx'
import { FirstLoad, ServerSilent } from '../../components/page-state.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import * as t from '../../texts.ts'
import { browserTrust, likelySystem, trustSystems, type BrowserTrust, type TrustSystem } from './browser-trust.ts'
import classes from './trust-page.module.css'

const signs = {
  trusted: IconCircleCheck,
  untrusted: IconShieldExclamation,
  encrypted: IconInfoCircle,
  unknown: IconInfoCircle,
  off: IconInfoCircle,
}

const { authorityFile, authorityProfile } = applianceNetwork.routes

function State({ addresses, source }: Pick<NetworkTrustDto, 'addresses' | 'source'>) {
  const { data: trust } = useQuery({
    queryKey: ['browser-trust', addresses, source],
    queryFn: () => browserTrust(addresses, source),
    staleTime: 0,
  })
  const Sign = signs[trust ?? 'unknown']
  const needsLink = (['untrusted', 'unknown'] satisfies BrowserTrust[]).some((each) => each === trust)
  return (
    <div className={classes.state} data-trust={trust} role="status">
      <Sign size={18} aria-hidden />
      <div>
        <p>{t.trust.state[trust ?? 'checking']}</p>
        {needsLink && addresses[0] !== undefined && <Anchor href={`${addresses[0]}/trust`}>{addresses[0]}</Anchor>}
      </div>
    </div>
  )
}

function Steps({ system }: { system: TrustSystem }) {
  const isApplePhone = system === 'ios'
  return (
    <>
      <ol className={classes.steps}>
        {t.trust.steps[system].map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Button
        component="a"
        href={isApplePhone ? authorityProfile.path : authorityFile.path}
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        {isApplePhone ? t.trust.downloadProfile : t.trust.download}
      </Button>
      <p className="small muted" style={{ marginTop: 12 }}>
        {t.trust.undo}
      </p>
    </>
  )
}

/** Explains the browser warning about this server's certificate, and offers the CA certificate for each system. */
export function Component() {
  usePageTitle(t.trust.title)
  const { data, failureCount } = useQuery({ ...networkQueries.trust, retry: true, retryDelay: 2_000 })
  const [system, setSystem] = useState<TrustSystem>(likelySystem(navigator.userAgent))
  if (!data) {
    return failureCount > 0 ? <ServerSilent /> : <FirstLoad />
  }
  const { name, source, addresses, fingerprint } = data
  return (
    <VisitorCard title={t.trust.title} intro={source === 'own' ? t.trust.introOwn(name) : t.trust.intro(name)} isWide>
      <div className={classes.text}>
        <State addresses={addresses} source={source} />
        <h2>{source === 'own' ? t.trust.compareOwn : t.trust.compare}</h2>
        <p className="muted">{t.trust.compareHint}</p>
        <Fingerprint fingerprint={fingerprint} />
        {source === 'authority' && (
          <>
            <h2>{t.trust.trusting}</h2>
            <Tabs
              mt="xs"
              value={system}
              onChange={(value) => setSystem(trustSystems.find((each) => each === value) ?? system)}
            >
              <Tabs.List aria-label={t.trust.system}>
                {trustSystems.map((each) => (
                  <Tabs.Tab key={each} value={each}>
                    {t.trust.systems[each]}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              <Tabs.Panel value={system}>
                <Steps system={system} />
              </Tabs.Panel>
            </Tabs>
          </>
        )}
      </div>
    </VisitorCard>
  )
}
