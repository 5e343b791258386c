import { Link } from 'react-router'
import { TextLink } from '../../components/links.tsx'
import type { HomeFleetDto } from '../../../shared/api/appliance-home.ts'
import { formatQuery, noneValue, systemNames, type QueryField } from '../../../shared/device-query.ts'
import { OnlineWeek } from '../../features/history/fleet-history.tsx'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import home from './home.module.css'
import classes from './fleet-section.module.css'

const search = (field: QueryField, value: string) =>
  `/devices?${new URLSearchParams({ q: formatQuery({ text: '', terms: [{ field, values: [value], isExcluded: false }] }) }).toString()}`

interface Row {
  key: string
  name: string
  to?: string
  total: number
  online?: number
}

/** Share of devices that are online, as a bar and in words. */
function Shares({ title, heading, rows }: { title: string; heading: string; rows: readonly Row[] }) {
  return (
    <table className={classes.shares}>
      <caption>{title}</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{heading}</th>
          <th scope="col">{t.home.online}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, to, total, online }) => (
          <tr key={key}>
            <th scope="row">
              {to === undefined ? (
                name
              ) : (
                <TextLink to={to}>
                  <bdi>{visibleName(name)}</bdi>
                </TextLink>
              )}
            </th>
            <td>
              {online !== undefined && (
                <svg className={classes.bar} aria-hidden preserveAspectRatio="none" viewBox="0 0 100 1">
                  <rect width={100} height={1} className={classes.track} />
                  <rect width={total > 0 ? (100 * online) / total : 0} height={1} className={classes.fill} />
                </svg>
              )}
              <span className="tabular">
                {online === undefined ? total.toLocaleString() : t.home.of(online, total)}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Numbers of the devices that the person can see, each leading to the list. */
export function FleetSection({ fleet }: { fleet: HomeFleetDto }) {
  const { total, online, seenInWeek, customers, otherCustomers, systems } = fleet
  const figures = [
    { label: t.home.onlineNow, value: t.home.of(online, total), to: search('is', 'online') },
    { label: t.home.seenInWeek, value: seenInWeek.toLocaleString(), to: '/devices?sort=-lastSeen' },
    { label: t.home.away, value: (total - seenInWeek).toLocaleString(), to: '/devices?sort=lastSeen' },
  ]
  const customerRows = [
    ...customers.map(({ name, ...counts }) => ({
      key: name ?? '',
      name: name ?? t.home.noCustomer,
      to: search('customer', name ?? noneValue),
      ...counts,
    })),
    ...(otherCustomers > 0 ? [{ key: ' others', name: t.home.otherCustomers, total: otherCustomers }] : []),
  ]
  const systemRows = systems.map(({ platform, ...counts }) => {
    const name = systemNames.get(platform) ?? 'unknown'
    return { key: String(platform), name: t.devices.systems[name] ?? name, to: search('system', name), ...counts }
  })
  return (
    <section className={home.section} aria-labelledby="home-fleet">
      <h2 id="home-fleet">{t.home.fleet}</h2>
      <dl className={classes.figures}>
        {figures.map(({ label, value, to }) => (
          <div key={label}>
            <dt className="muted">{label}</dt>
            <dd className="tabular">
              <Link to={to}>{value}</Link>
            </dd>
          </div>
        ))}
      </dl>
      <OnlineWeek />
      <div className={classes.tables}>
        <Shares title={t.home.byCustomer} heading={t.home.customer} rows={customerRows} />
        <Shares title={t.home.bySystem} heading={t.home.system} rows={systemRows} />
      </div>
    </section>
  )
}
