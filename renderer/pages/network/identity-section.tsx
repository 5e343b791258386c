import { Anchor } from '@mantine/core'
import type { NetworkDto } from '../../../shared/dtos/network.ts'
import { Fingerprint } from '../../components/fingerprint.tsx'
import { en as t } from '../../strings/en.ts'
import classes from './network-page.module.css'

export const IdentitySection = ({ network }: { network: NetworkDto }) => (
  <section className={classes.section} aria-label={t.network.identity}>
    <h2>{t.network.identity}</h2>
    <p className="muted">{t.network.identityHint}</p>
    <Fingerprint fingerprint={network.fingerprint} />
    {/* A page with its own content security policy, which may call our other addresses. */}
    <Anchor href="/trust">{t.network.trustPage}</Anchor>
  </section>
)
