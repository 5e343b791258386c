import { useSyncExternalStore } from 'react'
import { allChats, onChatChange } from './chats.ts'

/** Chats of all devices. */
export const useChats = () => useSyncExternalStore(onChatChange, allChats)
