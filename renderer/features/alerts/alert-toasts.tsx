import { Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBell } from '@tabler/icons-react'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { cutText } from '../../../shared/cut-text.ts'
import type { AlertDto } from '../../../shared/dtos/alert.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import { alertAddress } from './alert-cards.tsx'
import { useNewestAlerts } from './use-alerts.ts'
import { queryClient } from '../../api/query-client.ts'
import { accountQueries } from '../../api/account-queries.ts'

/** Age up to which the choices of the person are not asked again, in ms: they change in other tabs, too. */
const choicesAgeMs = 10_000

interface NativeNotification {
  title: string
  body: string
  /** Several tabs show one notification per tag. */
  tag: string
  onClick: () => void
}

/**
 * Shows notifications of the system, if the person switched them on, this browser allows them, no quiet hours are on,
 * and the person looks elsewhere: a page that is looked at shows toasts.
 */
async function notifyNatively(wanted: readonly NativeNotification[]): Promise<void> {
  if (!('Notification' in window) || Notification.permission !== 'granted' || document.hasFocus()) {
    return
  }
  const { isNativeOn, quietUntil } = await queryClient.fetchQuery({
    ...accountQueries.notifications,
    staleTime: choicesAgeMs,
  })
  if (!isNativeOn || quietUntil !== null) {
    return
  }
  for (const { title, body, tag, onClick } of wanted) {
    const notification = new Notification(title, { body, tag })
    notification.addEventListener('click', () => {
      window.focus()
      notification.close()
      onClick()
    })
  }
}

const shownMs = 15_000
/** More alerts at once are one toast. */
const fewAlerts = 3
const mostLength = 200

/** A new alert, or many, as toasts and notifications of the system show it. */
interface Shown {
  id: string
  title: string
  text: string
  address: string
}

const cut = (text: string) => cutText(visibleName(text), mostLength)

const shownOf = ({ id, title, lines }: AlertDto): Shown => ({
  id: `alert ${id}`,
  title: cut(title),
  text: cut(lines[0] ?? ''),
  address: alertAddress(id),
})

const several = (count: number): Shown => ({
  id: 'alerts',
  title: t.alerts.several(count),
  text: '',
  address: '/alerts',
})

interface ToastBodyProps {
  text: string
  onShow: () => void
}

const ToastBody = ({ text, onShow }: ToastBodyProps) => (
  <Group align="stretch" gap="2px 12px" className="wrap-anywhere">
    {text && <span>{text}</span>}
    <div>
      <button type="button" className="link-button" onClick={onShow}>
        {t.alerts.show}
      </button>
    </div>
  </Group>
)

/** Alerts that the user was told since the last answer; none of those that were there when the page was opened. */
function useFresh(onFresh: (alerts: AlertDto[]) => void) {
  const { data } = useNewestAlerts()
  const known = useRef<ReadonlySet<string>>(undefined)
  const tell = useEffectEvent(onFresh)
  useEffect(() => {
    if (!data) {
      return
    }
    const before = known.current
    // The second person on call is told of an alert that the page knows already.
    const told = data.filter(({ isTold }) => isTold)
    known.current = new Set([...(before ?? []), ...told.map(({ id }) => id)])
    const fresh = before ? told.filter(({ id, state }) => state === 'open' && !before.has(id)) : []
    if (fresh.length > 0) {
      tell(fresh)
    }
  }, [data])
}

/** Shows new alerts as toasts, except on the page that lists them, and as notifications of the system. */
export function AlertToasts() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const showToast = ({ title, text, id, address }: Shown) =>
    notifications.show({
      id,
      title,
      message: (
        <ToastBody
          text={text}
          onShow={() => {
            notifications.hide(id)
            void navigate(address)
          }}
        />
      ),
      icon: <IconBell size={18} stroke={1.6} aria-hidden />,
      color: 'accent',
      autoClose: shownMs,
      closeButtonProps: { 'aria-label': t.common.close },
    })
  useFresh((alerts) => {
    const shown = alerts.length > fewAlerts ? [several(alerts.length)] : alerts.map(shownOf)
    if (pathname !== '/alerts') {
      shown.forEach(showToast)
    }
    const wanted = shown.map(({ title, text, id, address }) => ({
      title,
      body: text,
      tag: id,
      onClick: () => void navigate(address),
    }))
    // Without an answer about the person's choices the toasts have to do.
    void notifyNatively(wanted).catch(() => {})
  })
  return null
}
