"""One act at a time in a folder, and nothing kept of those that are over."""

import threading
import time

import pytest

from roundtable_desktop.adapters.git.folders import Folders


def test_one_at_a_time_works_in_a_folder_and_no_lock_outlives_its_use() -> None:
    folders, inside, most = Folders(), 0, 0

    def act() -> None:
        nonlocal inside, most
        with folders.held("t1"):
            inside += 1
            most = max(most, inside)
            time.sleep(0.005)
            inside -= 1

    threads = [threading.Thread(target=act) for _ in range(8)]
    for thread in threads:
        thread.start()
    with folders.held("t2"):
        assert len(folders) >= 1
    for thread in threads:
        thread.join()
    assert most == 1 and len(folders) == 0


def test_an_act_that_fails_lets_go() -> None:
    folders = Folders()
    with pytest.raises(OSError, match="disk"), folders.held("t1"):
        raise OSError("disk")
    assert len(folders) == 0
