import { Badge, Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconShare3 } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { ShareDto } from '../../../shared/api/appliance-shares.ts'
import { api } from '../../api/http.ts'
import { rightsQueries } from '../../api/rights-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { wholeList } from '../../components/list-kit/list-data.ts'
import { ListPage, ListView } from '../../components/list-kit/list-page.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { PaneSection, SidePane } from '../../components/list-kit/side-pane.tsx'
import { useListAddress } from '../../components/list-kit/use-list-address.ts'
import type { ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { problemText } from '../../components/problem-alert.tsx'
import { permissionLabel } from '../../components/rights-texts.ts'
import * as t from '../../texts.ts'
import { moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import classes from './rights.module.css'

function EndButton({ share }: { share: ShareDto }) {
  const ending = useMutation({
    mutationFn: () => api.shares.end({ params: { shareId: share.id } }),
    onSuccess: () => notifications.show({ message: t.rights.shareEnded(visibleName(share.deviceName)) }),
    onError: (error) => notifications.show({ message: problemText(error), color: 'danger' }),
    onSettled: () => invalidate(['shares']),
  })
  return (
    <Button
      variant="subtle"
      color="danger"
      size="compact-xs"
      aria-label={t.rights.endShareOf(visibleName(share.deviceName), visibleName(share.forName))}
      loading={ending.isPending}
      onClick={() => ending.mutate()}
    >
      {t.rights.endShare}
    </Button>
  )
}

const columns: readonly ListColumn<ShareDto>[] = [
  {
    id: 'device',
    label: t.common.device,
    width: 'minmax(0, 1fr)',
    cell: ({ deviceId, deviceName }) => <Link to={`/devices/${deviceId}`}>{visibleName(deviceName)}</Link>,
  },
  {
    id: 'person',
    label: t.rights.person,
    width: 'minmax(0, 1fr)',
    cell: ({ forName, isGuest }) => (
      <>
        <bdi>{visibleName(forName)}</bdi>{' '}
        {isGuest && (
          <Badge size="xs" variant="default">
            {t.rights.guestMark}
          </Badge>
        )}
      </>
    ),
  },
  {
    id: 'made',
    label: t.rights.made,
    width: '160px',
    from: 820,
    cell: ({ byName }) => <span className="muted">{byName === null ? '' : visibleName(byName)}</span>,
  },
  {
    id: 'opened',
    label: t.rights.opened,
    width: '150px',
    from: 640,
    cell: ({ openedAt }) => (openedAt === null ? t.rights.notOpened : t.rights.openedAt(moment(Date.parse(openedAt)))),
  },
  {
    id: 'end',
    label: t.rights.end,
    width: '140px',
    narrow: '90px',
    cell: ({ expiresAt }) => <span className="muted tabular">{t.rights.endsAt(moment(Date.parse(expiresAt)))}</span>,
  },
  { id: 'action', label: '', width: '64px', cell: (share) => <EndButton share={share} /> },
]

const SharePane = ({ share, onClose }: { share: ShareDto; onClose: () => void }) => (
  <SidePane
    title={visibleName(share.deviceName)}
    marks={<span className="muted">{t.rights.endsAt(moment(Date.parse(share.expiresAt)))}</span>}
    onClose={onClose}
  >
    <p>
      {t.rights.person}: <bdi>{visibleName(share.forName)}</bdi>
    </p>
    <PaneSection title={t.rights.rightsOfShare}>
      <ul className={classes.rights}>
        {share.terminal && <li>{t.rights.sharedTerminal[share.terminal]}</li>}
        {share.permissions.map((name) => (
          <li key={name}>{permissionLabel(name)}</li>
        ))}
      </ul>
    </PaneSection>
    <EndButton share={share} />
  </SidePane>
)

/** Links that open one device. */
export function SharesPart({ tabs }: { tabs: ReactNode }) {
  const [address, change, list] = useListAddress(['device'])
  const query = useQuery(rightsQueries.shares(address.device || undefined))
  const rows = query.data ?? []
  const open = rows.find(({ id }) => id === address.open)
  const close = () => change({ open: '' })
  return (
    <ListPage
      list={list}
      title={t.rights.title}
      intro={t.rights.sharesIntro}
      notice={tabs}
      shown={rows.length > 0 ? t.rights.sharesShown(rows.length) : ''}
      pane={open && <SharePane share={open} onClose={close} />}
    >
      <ListView
        list={{ ...list, openId: open?.id }}
        label={t.rights.sharesList}
        data={wholeList(query, rows)}
        columns={columns}
        empty={{
          icon: IconShare3,
          title: t.rights.noSharesTitle,
          hint: t.rights.noSharesHint,
          action: (
            <ButtonLink variant="default" to="/devices">
              {t.shell.devices}
            </ButtonLink>
          ),
        }}
      />
    </ListPage>
  )
}
