// How the page looks to this reader: its colours and the size of its type.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Size } from './size'
import type { Theme } from './theme'

export interface Look {
  theme: Theme
  size: Size
}

const Here = createContext<Look | null>(null)
export const LookProvider = Here.Provider

export function useLook(): Look {
  const look = useContext(Here)
  if (!look) throw new Error('A part of the page stands outside of its LookProvider.')
  return look
}
