import { cutText } from '../../shared/cut-text.ts'
import { notifications } from '@mantine/notifications'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle, type Icon } from '@tabler/icons-react'
import { useEffect } from 'react'
import type { ToastInfo } from '../../shared/dtos/device-commands.ts'
import { onToast } from '../api/hubs.ts'
import * as t from '../texts.ts'

interface Look {
  icon: Icon
  title: string
  color: string
  /** In ms; warnings and errors stay until dismissed. */
  autoClose: number | false
}

/** Appearance by severity. */
const looks: Record<ToastInfo['messageSeverity'], Look> = {
  0: { icon: IconInfoCircle, title: t.toasts.information, color: 'gray', autoClose: 10_000 },
  1: { icon: IconAlertTriangle, title: t.common.note, color: 'warning', autoClose: false },
  2: { icon: IconCircleX, title: t.toasts.error, color: 'danger', autoClose: false },
  3: { icon: IconCircleCheck, title: t.common.done, color: 'gray', autoClose: 10_000 },
}

const mostLength = 500

function show({ message, messageSeverity }: ToastInfo) {
  const { icon: Icon, title, color, autoClose } = looks[messageSeverity]
  notifications.show({
    title,
    message: cutText(message, mostLength),
    icon: <Icon size={18} stroke={1.6} aria-hidden />,
    color,
    autoClose,
    closeButtonProps: { 'aria-label': t.common.close },
  })
}

/** Shows messages that the server sends to this page. */
export function ServerToasts() {
  useEffect(() => onToast(show), [])
  return null
}
