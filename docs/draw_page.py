"""Take the picture of a page for the docs: python docs/draw_page.py PAGE.html PICTURE.png."""

from pathlib import Path
import shutil
import subprocess
import sys

from PIL import Image

HEIGHT, WIDTH = 2400, 1280
SHOWN = 0.6
"""Size of the picture over that of the page."""


def main() -> None:
    """Draw the page by headless Chromium."""
    page, picture = (Path(each).resolve() for each in sys.argv[1:3])
    chromium = shutil.which('chromium') or shutil.which('google-chrome')
    if chromium is None:
        sys.exit('no Chromium is installed')
    flags = ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--hide-scrollbars']
    flags += ['--enable-unsafe-swiftshader', '--virtual-time-budget=60000']
    size = f'--window-size={WIDTH},{HEIGHT}'
    subprocess.run(
        [chromium, *flags, size, f'--screenshot={picture}', page.as_uri()],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    with Image.open(picture) as drawn:
        small = drawn.resize((round(SHOWN * WIDTH), round(SHOWN * HEIGHT)), Image.LANCZOS)
    small.convert('RGB').save(picture, optimize=True)


if __name__ == '__main__':
    main()
