import { Anchor, Box } from '@mantine/core'
import { useState } from 'react'
import type { NetworkDto } from '../../../shared/dtos/network.ts'
import { Fact } from '../../components/fact.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import * as t from '../../texts.ts'
import { isCovered } from './covered.ts'
import card from '../../components/card-page.module.css'
import facts from '../../components/device-facts.module.css'
import classes from './network-page.module.css'

/** Further addresses are collapsed: machines with containers have dozens. */
const mostShown = 6

function Interfaces({ interfaces }: Pick<NetworkDto, 'interfaces'>) {
  return (
    <>
      <h3>{t.network.interfaces}</h3>
      {interfaces.length === 0 ? (
        <p className="muted">{t.network.noInterface}</p>
      ) : (
        <dl className={classes.facts}>
          {interfaces.map(({ name, addresses }) => (
            <Fact key={name} label={name} className="tabular">
              {addresses.join(', ')}
            </Fact>
          ))}
        </dl>
      )}
    </>
  )
}

/** Listening addresses, and who can reach them. */
function Listening({ listening }: Pick<NetworkDto, 'listening'>) {
  return (
    <>
      <h3>{t.network.listening}</h3>
      <dl className={classes.facts}>
        {listening.map(({ address, reach, problem }) => (
          <Fact key={address} label={<span className="tabular">{address}</span>}>
            {problem ?? t.network.served(reach, address.startsWith('https:'))}
          </Fact>
        ))}
      </dl>
    </>
  )
}

/** Addresses of this server for users, agents and phones. */
export function AddressesSection({ network }: { network: NetworkDto }) {
  const { addresses, listening, interfaces, announcedAs, announceProblem, fixed, certificate } = network
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? addresses : addresses.slice(0, mostShown)
  const best = addresses[0]
  const publicUrl = fixed.find(({ what }) => what === 'publicUrl')
  return (
    <section className={`${classes.section} ${card.wide}`} aria-label={t.network.addresses}>
      <h2>{t.network.addresses}</h2>
      <div className={classes.beside}>
        <div>
          <p className="muted">{best === undefined ? t.network.addressesOff : t.network.addressesHint}</p>
          <ul className={classes.list}>
            {shown.map((address) => (
              <li key={address}>
                <code>{address}</code>
                <CopyButton text={address} hint={t.network.copyAddress(address)} />
                {address === best && <span className={facts.mark}>{t.network.best}</span>}
                {certificate.source === 'own' && !isCovered(address, certificate.names) && (
                  <span className="small" style={{ color: 'var(--warning)' }}>
                    {t.network.uncovered}
                  </span>
                )}
              </li>
            ))}
          </ul>
          {addresses.length > shown.length && (
            <Anchor component="button" type="button" mt={8} onClick={() => setIsWhole(true)}>
              {t.network.moreAddresses(addresses.length - shown.length)}
            </Anchor>
          )}
          {publicUrl && (
            <p className="small muted" style={{ marginTop: 12 }}>
              {t.network.publicUrl}: <code>{publicUrl.value}</code>.{' '}
              {t.network.fixedBy(publicUrl.setting, t.network.sources[publicUrl.source])}
            </p>
          )}
          <Listening listening={listening} />
          <Interfaces interfaces={interfaces} />
          {announcedAs !== null && (
            <p className="small muted" style={{ margin: 0 }}>
              {announceProblem === null ? t.network.announced(announcedAs) : t.network.notAnnounced(announceProblem)}
            </p>
          )}
        </div>
        {best !== undefined && (
          <Box flex="0 0 196px">
            <h3 style={{ marginTop: 0 }}>{t.network.phone}</h3>
            <p className="small muted">{t.network.phoneHint}</p>
            <QrCode width={164} text={`${best}/trust`} label={t.network.qrLabel(`${best}/trust`)} />
          </Box>
        )}
      </div>
    </section>
  )
}
