import { Button, Group } from '@mantine/core'
import {
  IconArrowUpCircle,
  IconBell,
  IconDevices,
  IconShieldLock,
  IconTrash,
  IconUserMinus,
  IconUserPlus,
  type Icon,
} from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Moment } from '../../components/moment.tsx'
import { TextLink } from '../../components/links.tsx'
import type { HomeChangeKind, HomeChangesDto } from '../../../shared/api/appliance-home.ts'
import { homeQueries, readChangesKey } from '../../api/home-queries.ts'
import { api } from '../../api/http.ts'
import { deviceAddress } from '../../components/device-tabs.ts'
import { moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import classes from './home.module.css'
import { useChanges } from './use-home.ts'
import { queryClient } from '../../api/query-client.ts'

type Change = HomeChangesDto['items'][number]

/** Icon of each kind of change, and the page of a thing, or of all of them. */
const kinds: Record<HomeChangeKind, { icon: Icon; page?: string; thing?: (id: string) => string }> = {
  'devices-added': { icon: IconDevices, thing: (id) => deviceAddress(id) },
  'devices-removed': { icon: IconTrash },
  'people-added': { icon: IconUserPlus, thing: (id) => `/people?open=${id}` },
  'people-removed': { icon: IconUserMinus },
  rights: { icon: IconShieldLock, page: '/rights/changes' },
  updates: { icon: IconArrowUpCircle, page: '/server/updates' },
  'failed-updates': { icon: IconArrowUpCircle, page: '/server/updates' },
  alerts: { icon: IconBell, page: '/alerts' },
}

/** The named things of a change, each once. */
function ChangedNames({ change: { kind, count, things } }: { change: Change }) {
  const { thing } = kinds[kind]
  const named = [...new Map(things.flatMap(({ id, name }) => (name === null ? [] : [[id ?? name, { id, name }]])))]
  return (
    <span className={classes.things}>
      {named.map(([key, { id, name }]) =>
        thing && id !== null ? (
          <TextLink key={key} to={thing(id)}>
            <bdi>{visibleName(name)}</bdi>
          </TextLink>
        ) : (
          <bdi key={key}>{visibleName(name)}</bdi>
        ),
      )}
      {count > things.length && <span className="muted">{t.home.more(count - things.length)}</span>}
    </span>
  )
}

function ChangeLine({ change }: { change: Change }) {
  const { icon: Sign, page } = kinds[change.kind]
  const text = t.home.changes[change.kind](change.count)
  return (
    <li className={classes.change}>
      <Sign size={18} stroke={1.6} aria-hidden />
      <span className={classes.changeText}>
        {page === undefined ? text : <TextLink to={page}>{text}</TextLink>}
        <ChangedNames change={change} />
      </span>
      <Moment at={change.last} />
    </li>
  )
}

/** Changes by others since the person's last visit, until dismissed. */
export function ChangesSection() {
  const { data } = useChanges().changes
  const dismiss = useMutation({
    mutationFn: (at: string) => api.userStorage.set({ body: { key: readChangesKey, value: at } }),
    onSuccess: (_data, at) => {
      queryClient.setQueryData(homeQueries.readChanges.queryKey, at)
      // The button goes away with its section.
      document.getElementById('page')?.focus()
    },
  })
  return (
    data !== undefined &&
    data.since !== null &&
    data.items.length > 0 && (
      <section className={classes.section} aria-labelledby="home-changes">
        <Group gap="8px 16px" justify="space-between">
          <h2 id="home-changes">{t.home.changed(moment(Date.parse(data.since)))}</h2>
          <Button
            variant="subtle"
            size="compact-sm"
            loading={dismiss.isPending}
            onClick={() => dismiss.mutate(data.checkedAt)}
          >
            {t.home.dismiss}
          </Button>
        </Group>
        <ul>
          {data.items.map((change) => (
            <ChangeLine key={change.kind} change={change} />
          ))}
        </ul>
        {!data.isComplete && <p className="small muted">{t.home.changedMore}</p>}
      </section>
    )
  )
}
