import { Anchor, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { NetworkDto } from '../../../shared/dtos/network.ts'
import { networkQueries } from '../../api/network-queries.ts'
import { PageHead } from '../../components/page-head.tsx'
import { pageWithRight } from '../../components/no-right.tsx'
import * as t from '../../texts.ts'
import { AddressesSection } from './addresses-section.tsx'
import { CertificateSection } from './certificate-section.tsx'
import card from '../../components/card-page.module.css'
import classes from './network-page.module.css'
import { ReachSection } from './reach-section.tsx'
import { ServeSection } from './serve-section.tsx'
import { SettingsSection } from './settings-section.tsx'
import { Fingerprint } from '../../components/fingerprint.tsx'
import { QueryState } from '../../components/query-state.tsx'

const IdentitySection = ({ network }: { network: NetworkDto }) => (
  <section className={classes.section} aria-label={t.network.identity}>
    <h2>{t.network.identity}</h2>
    <p className="muted">{t.network.identityHint}</p>
    <Fingerprint fingerprint={network.fingerprint} />
    {/* A page with its own content security policy, which may call our other addresses. */}
    <Anchor href="/trust">{t.network.trustPage}</Anchor>
  </section>
)

const Sections = ({ network }: { network: NetworkDto }) => (
  <div className={card.columns}>
    <ServeSection network={network} />
    <AddressesSection network={network} />
    {network.state === 'serving' && <ReachSection network={network} />}
    <IdentitySection network={network} />
    <Stack gap={16}>
      <CertificateSection network={network} />
      <section className={classes.section} aria-label={t.network.settings}>
        <h2>{t.network.settings}</h2>
        <SettingsSection network={network} />
      </section>
    </Stack>
  </div>
)

function Content() {
  const query = useQuery(networkQueries.network)
  if (query.data) {
    return <Sections network={query.data} />
  }
  return (
    <div className={card.columns}>
      <div className={card.wide}>
        <QueryState query={query} height={280} />
      </div>
    </div>
  )
}

/** Page about the network access to this server. */
export const Component = pageWithRight(t.network.title, ['server.settings.write'], () => (
  <>
    <PageHead title={t.network.title} intro={t.network.intro} />
    <Content />
  </>
))
