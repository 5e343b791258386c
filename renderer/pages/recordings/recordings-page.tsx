import { SegmentedControl } from '@mantine/core'
import { IconDeviceDesktop, IconTerminal2, IconVideo } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useNavigate } from 'react-router'
import { RecordingKind, type RecordingDto } from '../../../shared/dtos/recording.ts'
import { recordingQueries } from '../../api/recording-queries.ts'
import { Moment } from '../../components/moment.tsx'
import { infiniteList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { pageWithRight } from '../../components/no-right.tsx'
import { byteSize, clockTime } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'

const kindIcons = { screen: IconDeviceDesktop, terminal: IconTerminal2 }

const lengthOf = ({ startedAt, endedAt }: RecordingDto) =>
  endedAt === null ? '' : clockTime(Date.parse(endedAt) - Date.parse(startedAt))

const columns: readonly ListColumn<RecordingDto>[] = [
  {
    id: 'started',
    label: t.recordings.started,
    width: '136px',
    narrow: '84px',
    cell: ({ startedAt }) => <Moment at={startedAt} />,
  },
  {
    id: 'device',
    label: t.common.device,
    width: 'minmax(0, 1fr)',
    cell: ({ kind, deviceName }) => {
      const Sign = kindIcons[kind]
      return (
        <>
          <Sign
            size={16}
            stroke={1.6}
            role="img"
            aria-label={t.recordings.kind[kind]}
            style={{ verticalAlign: 'text-bottom' }}
          />{' '}
          <bdi>{visibleName(deviceName)}</bdi>
        </>
      )
    },
  },
  {
    id: 'person',
    label: t.recordings.person,
    width: 'minmax(0, 1fr)',
    from: 480,
    cell: ({ personName }) => <bdi>{visibleName(personName)}</bdi>,
  },
  {
    id: 'cause',
    label: t.recordings.causes,
    width: '120px',
    from: 820,
    cell: ({ cause }) => <span className="muted">{t.recordings.cause[cause]}</span>,
  },
  {
    id: 'length',
    label: t.recordings.length,
    width: '76px',
    cell: (row) => <span className="tabular">{lengthOf(row)}</span>,
  },
  {
    id: 'size',
    label: t.recordings.size,
    width: '84px',
    from: 640,
    cell: ({ bytes, state }) => <span className="tabular muted">{state === 'running' ? '' : byteSize(bytes)}</span>,
  },
  {
    id: 'state',
    label: t.common.state,
    width: '120px',
    from: 560,
    cell: ({ state, problem }) => <span title={problem ?? undefined}>{t.recordings.state[state]}</span>,
  },
]

function Recordings() {
  const navigate = useNavigate()
  const [address, change, list] = useListAddress(['kind', 'device'])
  const kind = RecordingKind.safeParse(address.kind).data
  const query = useInfiniteQuery(
    recordingQueries.list({
      ...(kind && { kind }),
      ...(address.device !== '' && { deviceId: address.device }),
    }),
  )
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  return (
    <ListPage
      list={list}
      title={t.recordings.title}
      intro={t.recordings.intro}
      filters={
        <SegmentedControl
          size="xs"
          aria-label={t.recordings.kinds}
          data={[
            { value: '', label: t.recordings.allKinds },
            ...RecordingKind.options.map((value) => ({ value, label: t.recordings.kind[value] })),
          ]}
          value={kind ?? ''}
          onChange={(value) => change({ kind: value })}
        />
      }
      shown={query.data ? t.recordings.shown(rows.length, query.hasNextPage) : ''}
    >
      <ListView
        list={{ ...list, onOpen: (id) => id !== undefined && void navigate(`/recordings/${id}`) }}
        label={t.recordings.list}
        data={infiniteList(query, rows)}
        columns={columns}
        empty={{ icon: IconVideo, title: t.recordings.emptyTitle, hint: t.recordings.emptyHint }}
      />
    </ListPage>
  )
}

/** Recordings of the organization. */
export const Component = pageWithRight(t.recordings.title, ['appliance.recordings.read'], Recordings)
